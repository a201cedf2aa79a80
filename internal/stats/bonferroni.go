package stats

import "slices"

// Bonferroni returns the p value of several tests of one hypothesis, of which there must be at
// least one: the smallest of their p values times their number, which holds however the tests
// depend on each other (Dunn, Journal of the American Statistical Association 56, 1961, 52-64).
func Bonferroni(ps ...float64) float64 {
	return min(1, float64(len(ps))*slices.Min(ps))
}
