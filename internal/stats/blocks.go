package stats

import "slices"

// BlockMinima divides the samples into blocks of consecutive samples, of equal length but for
// rounding, and returns the k-th smallest sample of each block in ascending order: the
// counterpart of the block maxima of extreme value theory (Gumbel, Statistics of Extremes, 1958).
// Blocks without a sample are left out.
func BlockMinima(k, blocks int, samples []float64) []float64 {
	minima := make([]float64, 0, blocks)
	for i := range blocks {
		if block := samples[i*len(samples)/blocks : (i+1)*len(samples)/blocks]; len(block) > 0 {
			minima = append(minima, OrderStatistic(k, block))
		}
	}
	slices.Sort(minima)
	return minima
}
