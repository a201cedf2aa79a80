package stats

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// The figures of R's wilcox.test(new, old, conf.int = TRUE, exact = TRUE) for the example of Hollander and Wolfe,
// Nonparametric Statistical Methods (1973), page 69: permeability of membranes.
func TestHodgesLehmannIsThatOfR(t *testing.T) {
	new := []float64{0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46}
	old := []float64{1.15, 0.88, 0.90, 0.74, 1.21}
	shift, low, high, ok := HodgesLehmann(old, new, 0.95)
	require.True(t, ok)
	require.InDelta(t, 0.305, shift, 1e-9)
	require.InDelta(t, -0.15, low, 1e-9)
	require.InDelta(t, 0.76, high, 1e-9)
}

func TestHodgesLehmannNeedsFiveOnEachSide(t *testing.T) {
	low, high := []float64{1, 2, 3, 4, 5}, []float64{11, 12, 13, 14, 15}
	shift, from, to, ok := HodgesLehmann(low, high, 0.99)
	require.True(t, ok)
	require.Equal(t, []float64{10, 6, 14}, []float64{shift, from, to},
		"with five on each side the interval is the range")
	shift, _, _, ok = HodgesLehmann(low[:4], high, 0.95)
	require.False(t, ok)
	require.Equal(t, 10.5, shift)
	_, _, _, ok = HodgesLehmann(low[:4], slices.Repeat(high, 10), 0.95)
	require.False(t, ok)
	shift, _, _, ok = HodgesLehmann([]float64{2}, []float64{3}, 0.95)
	require.False(t, ok)
	require.Equal(t, 1.0, shift)
}
