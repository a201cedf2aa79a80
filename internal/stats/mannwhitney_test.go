package stats

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMannWhitney(t *testing.T) {
	low, high := []float64{1, 2, 3, 4}, []float64{5, 6, 7, 8}
	p, enough := MannWhitney(low, high, 0.05)
	require.InDelta(t, 2.0/70, p, 1e-9) // 70 ways to choose 4 of 8
	require.True(t, enough)
	_, enough = MannWhitney(low, high, 0.01)
	require.False(t, enough)
	p, enough = MannWhitney(low[:3], high[:3], 0.05)
	require.InDelta(t, 0.1, p, 1e-9)
	require.False(t, enough)
	p, enough = MannWhitney(low, nil, 0.05)
	require.Equal(t, 1.0, p)
	require.False(t, enough)
	equal := []float64{1, 1, 1, 1}
	p, enough = MannWhitney(equal, equal, 0.05)
	require.Equal(t, 1.0, p)
	require.True(t, enough, "equal samples are enough to see no difference")
}

// Whether there are enough samples is told from the p that the test then gives to samples
// which lie as far apart as they can.
func TestSmallestPIsWhatTheTestGives(t *testing.T) {
	for _, size := range [][2]int{{3, 3}, {5, 5}, {4, 40}, {25, 25}, {4, 51}, {4, 77}, {1, 700}, {77, 77}} {
		for _, tied := range []bool{false, true} {
			var low, high []float64
			for i := range size[0] {
				low = append(low, 1+float64(i)/1000)
			}
			for i := range size[1] {
				high = append(high, 2+float64(i)/1000)
			}
			if tied {
				high[0] = high[len(high)-1]
			}
			p, _ := MannWhitney(low, high, 0.05)
			require.InEpsilon(t, p, smallestP(size[0], size[1], tied && size[1] > 1), 0.35, "%v, tied: %v", size, tied)
			_, enough := MannWhitney(low, high, p*1.5)
			require.True(t, enough, "%v", size)
			_, enough = MannWhitney(low, high, p/1.5)
			require.False(t, enough, "%v", size)
		}
	}
}
