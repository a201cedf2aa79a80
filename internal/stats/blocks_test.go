package stats

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBlockMinima(t *testing.T) {
	samples := []float64{5, 4, 9, 8, 1, 2}
	require.Equal(t, []float64{1, 4, 8}, BlockMinima(1, 3, samples))
	require.Equal(t, []float64{2, 5, 9}, BlockMinima(2, 3, samples))
	require.Equal(t, []float64{3, 7}, BlockMinima(2, 5, []float64{7, 3}), "blocks without a sample")
}
