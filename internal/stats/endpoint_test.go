package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// The bound holds in the share of cases that it promises, for samples that are uniform above
// their endpoint, and in more if their density falls there.
func TestAboveEndpointHoldsWithItsConfidence(t *testing.T) {
	chance := rand.New(rand.NewPCG(3, 4))
	const trials, endpoint = 2000, 20.0
	held := func(distribution func() float64, confidence float64) float64 {
		n := 0
		for range trials {
			samples := make([]float64, 100)
			for i := range samples {
				samples[i] = endpoint + distribution()
			}
			if OrderStatistic(2, samples)-AboveEndpoint(2, samples, 0.1, confidence) <= endpoint {
				n++
			}
		}
		return float64(n) / trials
	}
	for _, confidence := range []float64{0.5, 0.8, 0.95} {
		require.InDelta(t, confidence, held(chance.Float64, confidence), 0.03)
		require.Greater(t, held(chance.ExpFloat64, confidence), confidence-0.02)
	}
}

// With k = 1 and the second sample, share/(1-share) is confidence/(1-confidence), Robson and
// Whitlock's bound.
func TestAboveEndpointIsRobsonAndWhitlocks(t *testing.T) {
	require.InDelta(t, 0.95/0.05*2, AboveEndpoint(1, []float64{12, 10, 15}, 0.1, 0.95), 1e-9)
	for _, few := range [][]float64{{10}, {10, 11}} {
		require.True(t, math.IsInf(AboveEndpoint(2, few, 0.1, 0.95), 1), "%v", few)
	}
}
