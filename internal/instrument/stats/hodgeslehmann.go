package stats

import (
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
	"gonum.org/v1/gonum/stat/distuv"
)

// FewestOnASide is the min number of samples on each side for an interval of [HodgesLehmann]: with five, all samples of
// a side exceed all of the other by chance in 1 of 126 cases.
const FewestOnASide = 5

// HodgesLehmann returns by how much new lies above old: the median of all differences between a sample of new and a
// sample of old, with its confidence interval, which inverts the Mann-Whitney U test (J. L. Hodges and E. L. Lehmann,
// Estimates of location based on rank tests, Annals of Mathematical Statistics 34, 1963). It assumes no distribution,
// and a third of the samples may be outliers. Each side needs at least one sample. ok is false, without an interval,
// with fewer than FewestOnASide on a side, or too few for the confidence.
func HodgesLehmann(old, new []float64, confidence float64) (shift, low, high float64, ok bool) {
	var differences []float64
	for _, before := range old {
		for _, after := range new {
			differences = append(differences, after-before)
		}
	}
	slices.Sort(differences)
	n := len(differences)
	shift = (differences[(n-1)/2] + differences[n/2]) / 2
	outside := beyond(len(old), len(new), confidence)
	if min(len(old), len(new)) < FewestOnASide || outside == 0 {
		return shift, 0, 0, false
	}
	return shift, differences[outside-1], differences[n-outside], true
}

// beyond returns the rank of the ends of the interval among the differences of n and m samples, counted from either
// end; 0 without an interval.
func beyond(n, m int, confidence float64) int {
	const exact = 20 // the exact distribution of many samples takes minutes
	if max(n, m) > exact {
		z := distuv.UnitNormal.Quantile((1 + confidence) / 2)
		products := float64(n * m)
		return max(0, int(products/2-z*math.Sqrt(products*float64(n+m+1)/12)))
	}
	u := stats.UDist{N1: n, N2: m}
	rank := 0
	for rank < n*m/2 && 2*u.CDF(float64(rank)) <= 1-confidence {
		rank++
	}
	return rank
}
