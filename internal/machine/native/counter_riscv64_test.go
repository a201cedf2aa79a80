package native

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTimerMovesForward(t *testing.T) {
	ticks := make([]int64, 100_001)
	ReadRDTIME(&ticks[0], 100_000)
	require.Greater(t, ticks[99_999], ticks[0])
	require.Zero(t, ticks[100_000], "it wrote past its end")
	SpinRDTIME(10)
}
