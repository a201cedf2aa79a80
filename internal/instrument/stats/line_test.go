package stats

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The first of Anscombe's quartet, and a table of Student's t distribution.
func TestLineAndItsInterval(t *testing.T) {
	x := []float64{10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5}
	y := []float64{8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68}
	intercept, slope := Line(x, y)
	require.InDelta(t, 3.00009, intercept, 1e-5)
	require.InDelta(t, 0.50009, slope, 1e-5)
	for freedom, want := range map[float64]float64{1: 12.7062, 9: 2.2622, 100: 1.9840, 1e6: 1.9600} {
		require.InDelta(t, want, StudentT(0.95, freedom), 1e-4)
	}
}
