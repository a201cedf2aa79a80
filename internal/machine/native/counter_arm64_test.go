package native

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVirtualCounterMovesForward(t *testing.T) {
	for name, read := range map[string]func(*int64, int){"CNTVCT_EL0": ReadCNTVCT, "ISB+CNTVCT_EL0": ReadISBCNTVCT} {
		ticks := make([]int64, 10_001)
		read(&ticks[0], 10_000)
		require.Greater(t, ticks[9_999], ticks[0], name)
		require.Zero(t, ticks[10_000], "%s wrote past its end", name)
	}
	SpinCNTVCT(10)
	SpinISBCNTVCT(10)
	require.NotZero(t, CounterHz())
}
