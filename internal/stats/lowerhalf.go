package stats

import "slices"

// LowerHalf returns the samples of each set that do not exceed the median of both sets together.
//
// The Mann-Whitney U test of the two results is a percentile-modified rank test, which scores
// only the lower percentiles of the combined sample (Gastwirth, Journal of the American
// Statistical Association 60, 1965, 1127-1141). It keeps its false-positive rate: if nothing
// changed, every order of the old and the new samples in the lower half is equally likely,
// however many of each are there.
func LowerHalf(old, new []float64) (lowerOld, lowerNew []float64) {
	median := Quantile(0.5, slices.Concat(old, new))
	lower := func(samples []float64) []float64 {
		return slices.DeleteFunc(slices.Clone(samples), func(sample float64) bool { return sample > median })
	}
	return lower(old), lower(new)
}
