package stats

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOrderStatistic(t *testing.T) {
	samples := []float64{3, 1, 2}
	for k, want := range map[int]float64{1: 1, 2: 2, 3: 3, 4: 3} {
		require.Equal(t, want, OrderStatistic(k, samples), k)
	}
	require.Equal(t, []float64{3, 1, 2}, samples, "the caller's order was changed")
}
