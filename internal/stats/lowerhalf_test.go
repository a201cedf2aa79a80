package stats

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// Of the eight samples 4 is the median: the least that half of them do not exceed.
func TestLowerHalf(t *testing.T) {
	old, new := []float64{7, 1, 8, 6}, []float64{5, 2, 4, 3}
	lowerOld, lowerNew := LowerHalf(old, new)
	require.Equal(t, []float64{1}, lowerOld)
	require.Equal(t, []float64{2, 4, 3}, lowerNew)
	require.Equal(t, []float64{7, 1, 8, 6}, old, "the caller's samples were changed")
	lowerOld, _ = LowerHalf([]float64{9, 9}, []float64{1, 1, 1})
	require.Empty(t, lowerOld)
}

// Samples of one distribution have a p of alpha or less in a share alpha of all cases, however
// much fewer of the one set lie in the lower half.
func TestLowerHalfKeepsTheFalsePositiveRate(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	const trials, alpha = 2000, 0.05
	positive := 0
	for range trials {
		old, new := make([]float64, 60), make([]float64, 30)
		for _, samples := range [][]float64{old, new} {
			for i := range samples {
				samples[i] = chance.ExpFloat64()
			}
		}
		lowerOld, lowerNew := LowerHalf(old, new)
		if p, _ := MannWhitney(lowerOld, lowerNew, alpha); p <= alpha {
			positive++
		}
	}
	require.InDelta(t, alpha, float64(positive)/trials, 0.015)
}
