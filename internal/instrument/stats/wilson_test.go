package stats

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The intervals of Wilson's table and of R's prop.test(x, n, correct = FALSE).
func TestWilson(t *testing.T) {
	for _, of := range []struct{ some, all, low, high float64 }{
		{0, 10, 0, 0.2775}, {10, 10, 0.7225, 1}, {5, 10, 0.2366, 0.7634}, {1, 1000, 0.00018, 0.00564}, {0, 0, 0, 1},
	} {
		low, high := Wilson(of.some, of.all, 0.95)
		require.InDelta(t, of.low, low, 1e-4)
		require.InDelta(t, of.high, high, 1e-4)
	}
}
