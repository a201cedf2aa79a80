package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// AboveEndpoint returns an upper confidence bound of how far the k-th smallest sample lies above
// the lower endpoint of the distribution, the value that no sample falls below. It is infinite
// for k or fewer samples.
//
// Confidence bounds of an endpoint from the lowest samples are Robson and Whitlock's (Estimation
// of a truncation point, Biometrika 51, 1964, 33-39). If the distribution is uniform from its
// endpoint to the j-th smallest sample, then the distance of the k-th from the endpoint is a
// share of that of the j-th which is distributed as Beta(k, j-k), as for order statistics of the
// uniform distribution (David and Nagaraja, Order Statistics, 2003, 2.3). j is the sample that
// is lowest of the samples, as a share, above the k-th.
func AboveEndpoint(k int, samples []float64, lowest, confidence float64) float64 {
	above := min(max(1, int(lowest*float64(len(samples)))), len(samples)-k)
	if above < 1 {
		return math.Inf(1)
	}
	sorted := slices.Sorted(slices.Values(samples))
	share := distuv.Beta{Alpha: float64(k), Beta: float64(above)}.Quantile(confidence)
	return share / (1 - share) * (sorted[k-1+above] - sorted[k-1])
}
