package stats

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// MannWhitney returns the two-sided p value of the Mann-Whitney U test (Annals of Mathematical
// Statistics 18, 1947, 50-60): the probability that two sets of samples of the same thing lie
// at least as far apart as these by chance; 1 if either set is empty. enough is whether so many
// samples can give a p of alpha or less at all.
func MannWhitney(old, new []float64, alpha float64) (p float64, enough bool) {
	if len(old) == 0 || len(new) == 0 {
		return 1, false
	}
	thresholds := benchmath.Thresholds{CompareAlpha: alpha}
	a := benchmath.NewSample(slices.Clone(old), &thresholds)
	b := benchmath.NewSample(slices.Clone(new), &thresholds)
	comparison := benchmath.AssumeNothing.Compare(a, b)
	// benchmath also warns about samples that are all equal, which do not differ.
	return comparison.P, smallestP(len(old), len(new), tied(old, new)) <= alpha
}

// tied returns whether any two of the samples are equal.
func tied(old, new []float64) bool {
	all := slices.Sorted(slices.Values(slices.Concat(old, new)))
	return len(slices.Compact(all)) < len(old)+len(new)
}

// smallestP returns about the smallest p that benchmath's Mann-Whitney U test can return for n
// and m samples. The exact test counts the orders of the samples, of which the two most extreme
// have the smallest p. Beyond the limits of go-moremath's stats (MannWhitneyExactLimit and
// MannWhitneyTiesExactLimit) benchmath takes the normal approximation, which is far from the
// truth where one side has few samples: for 4 and 77 samples its p is never below 0.0008, where
// that of the exact test comes to 0.000001.
func smallestP(n, m int, tied bool) float64 {
	limit := 50
	if tied {
		limit = 25
	}
	if max(n, m) > limit {
		products := float64(n) * float64(m)
		return math.Erfc((products/2 - 0.5) / math.Sqrt(products*float64(n+m+1)/6))
	}
	orders := 1.0
	for i := 1; i <= n; i++ {
		orders = orders * float64(m+i) / float64(i)
	}
	return min(1, 2/orders)
}
