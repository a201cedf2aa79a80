package stats

import "slices"

// OrderStatistic returns the k-th smallest sample, from 1 on, or the largest if there are fewer
// than k. There must be at least one; the caller keeps them, in their order.
func OrderStatistic(k int, samples []float64) float64 {
	sorted := slices.Sorted(slices.Values(samples))
	return sorted[min(k, len(sorted))-1]
}
