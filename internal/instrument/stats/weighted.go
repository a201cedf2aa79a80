package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// A Weighted is the mean of samples with weights, and its variance, of which it keeps only sums (D. West, Updating mean and
// variance estimates, Communications of the ACM 22, 1979). It is for rates that are added up: a median says nothing of a sum.
// The zero value has no samples.
type Weighted struct {
	// N is the number of samples.
	N int

	weights, squares   float64 // the sums of the weights and of their squares
	mean, squaredError float64
	min, max           float64
}

// Add adds a sample with a positive weight.
func (w *Weighted) Add(sample, weight float64) {
	if w.N == 0 {
		w.min, w.max = sample, sample
	}
	w.N++
	w.weights, w.squares = w.weights+weight, w.squares+weight*weight
	before := sample - w.mean
	w.mean += before * weight / w.weights
	w.squaredError += weight * before * (sample - w.mean)
	w.min, w.max = min(w.min, sample), max(w.max, sample)
	w.mean = min(max(w.mean, w.min), w.max) // a rounding error beyond
}

// Interval returns the mean and its confidence interval by Student's t distribution, within the range of the samples, of
// which there must be one. The effective sample size (L. Kish, Survey Sampling, 1965) is divided by the number of groups
// whose samples are alike, for the mean of any of them. It assumes that the mean of so many samples is normally
// distributed. With hardly more than one sample the interval is their range.
func (w *Weighted) Interval(confidence float64, groups int) (mean, low, high float64) {
	n := w.weights * w.weights / w.squares / float64(groups)
	if n <= 1.5 {
		return w.mean, w.min, w.max
	}
	// The weights are scaled so that their sum is n.
	variance := max(0, w.squaredError/w.weights*n/(n-1))
	half := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile((1+confidence)/2) * math.Sqrt(variance/n)
	return w.mean, max(w.mean-half, w.min), min(w.mean+half, w.max)
}
