package stats

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMedianRatio(t *testing.T) {
	samples := func(center float64) []float64 {
		var s []float64
		for i := range 11 {
			s = append(s, center+float64(i-5))
		}
		return s
	}
	low, high, ok := MedianRatio(samples(100), samples(200))
	require.True(t, ok)
	// Of 11 samples the 2nd and the 10th bound the median with 98.8 %.
	require.InDelta(t, 196.0/104, low, 1e-9)
	require.InDelta(t, 204.0/96, high, 1e-9)
	_, _, ok = MedianRatio([]float64{1, 2, 3, 4, 5, 6}, samples(1))
	require.False(t, ok, "six samples have no interval of 97.5 %%")
}
