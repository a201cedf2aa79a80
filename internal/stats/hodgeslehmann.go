package stats

import (
	"slices"

	"github.com/aclements/go-moremath/stats"
)

// HodgesLehmann returns by how much new lies above old: the median of all differences between a
// sample of new and one of old, with its confidence interval, which inverts the Mann-Whitney U test
// (J. L. Hodges and E. L. Lehmann, Estimates of location based on rank tests, Annals of Mathematical
// Statistics 34, 1963). It assumes no distribution, and a third of the samples may be outliers. There
// must be at least one sample on each side. ok is false if these are too few for the confidence: an
// interval of 95 % needs four on each side.
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
	u := stats.UDist{N1: len(old), N2: len(new)}
	outside := 0 // differences beyond each end of the interval
	for outside < n/2 && 2*u.CDF(float64(outside)) <= 1-confidence {
		outside++
	}
	if outside == 0 {
		return shift, 0, 0, false
	}
	return shift, differences[outside-1], differences[n-outside], true
}
