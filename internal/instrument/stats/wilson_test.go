package stats

import (
	"math/rand/v2"
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

// Of many intervals of a known share, 95 % contain it.
func TestWilsonCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, share := range []float64{0.01, 0.1, 0.5, 0.95} {
		const tries, samples = 4000, 1000
		hit := 0
		for range tries {
			some := 0.0
			for range samples {
				if random.Float64() < share {
					some++
				}
			}
			if low, high := Wilson(some, samples, 0.95); low <= share && share <= high {
				hit++
			}
		}
		require.InDelta(t, 0.95, float64(hit)/tries, 0.015, "share %g", share)
	}
}
