package stats

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// ones returns n weights of 1.
func ones(n int) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = 1
	}
	return all
}

// The interval of R's t.test(sleep$extra[1:10]).
func TestMeanInterval(t *testing.T) {
	samples := []float64{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0}
	mean, low, high := MeanInterval(samples, ones(10), 0.95)
	require.InDelta(t, 0.75, mean, 1e-9)
	require.InDelta(t, -0.5297804, low, 1e-6)
	require.InDelta(t, 2.0297804, high, 1e-6)

	mean, low, high = MeanInterval([]float64{3, 3}, ones(2), 0.95)
	require.Equal(t, []float64{3, 3, 3}, []float64{mean, low, high})
}

func TestMeanIntervalOfWeights(t *testing.T) {
	samples := []float64{1, 2, 4, 3}
	_, low, high := MeanInterval(samples, ones(4), 0.95)
	mean, lowOfSevens, highOfSevens := MeanInterval(samples, []float64{7, 7, 7, 7}, 0.95)
	require.InDeltaSlice(t, []float64{2.5, low, high}, []float64{mean, lowOfSevens, highOfSevens}, 1e-9, "only their proportion counts")

	mean, lowOfFew, highOfFew := MeanInterval(samples, []float64{5, 5, 1, 1}, 0.95)
	require.InDelta(t, 22./12, mean, 1e-9)
	_, lowOfTwo, highOfTwo := MeanInterval(samples[:2], ones(2), 0.95)
	require.Less(t, highOfFew-lowOfFew, highOfTwo-lowOfTwo, "more than two samples")

	mean, low, high = MeanInterval([]float64{1, 2}, []float64{1000, 1}, 0.95)
	require.InDelta(t, 1, mean, 0.01)
	require.Equal(t, []float64{1, 2}, []float64{low, high}, "one sample")
}

// Of two values in any proportion, as a cost that is one or the other, it covers the mean as often as it says, with unequal
// weights too.
func TestMeanIntervalCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const trials, n = 4000, 50
	for _, share := range []float64{0.2, 0.5} {
		covered := 0
		for range trials {
			samples, weights := make([]float64, n), make([]float64, n)
			for i := range samples {
				samples[i], weights[i] = 240, 1+2*random.Float64()
				if random.Float64() < share {
					samples[i] = 300
				}
			}
			_, low, high := MeanInterval(samples, weights, 0.95)
			if mean := 240 + share*60; low <= mean && mean <= high {
				covered++
			}
		}
		require.InDelta(t, 0.95, float64(covered)/trials, 0.03, "%g of the samples", share)
	}
}
