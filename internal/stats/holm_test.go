package stats

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The example is worked by hand: 4 × 0.01, 3 × 0.013, 2 × 0.04, 0.2, none below
// the one before.
func TestHolm(t *testing.T) {
	require.InDeltaSlice(t, []float64{0.08, 0.04, 0.2, 0.04}, Holm([]float64{0.04, 0.01, 0.2, 0.013}), 1e-9)
	require.Equal(t, []float64{1, 1}, Holm([]float64{0.9, 0.8}))
	require.Empty(t, Holm(nil))
}
