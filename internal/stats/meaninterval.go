package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// MeanInterval returns the weighted mean of the samples and its confidence interval by Student's t distribution, for the
// effective sample size (L. Kish, Survey Sampling, 1965). It is for rates whose sum is of interest, as a median says nothing
// of a sum. The weights are positive, as many as there are samples, of which there are at least two. It assumes that the
// mean of so many samples is normally distributed. If one sample has nearly all of the weight, the interval is the range of
// all.
func MeanInterval(samples, weights []float64, confidence float64) (mean, low, high float64) {
	sum := floats.Sum(weights)
	n := sum * sum / floats.Dot(weights, weights)
	if n <= 1.5 {
		return stat.Mean(samples, weights), slices.Min(samples), slices.Max(samples)
	}
	scaled := make([]float64, len(weights))
	floats.ScaleTo(scaled, n/sum, weights)
	mean, deviation := stat.MeanStdDev(samples, scaled)
	half := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile((1+confidence)/2) * deviation / math.Sqrt(n)
	return mean, mean - half, mean + half
}
