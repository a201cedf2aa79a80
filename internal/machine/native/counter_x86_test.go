//go:build 386 || amd64

package native

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTimeStampCounterMovesForward(t *testing.T) {
	for name, read := range map[string]func(*int64, int){
		"RDTSC": ReadRDTSC, "LFENCE+RDTSC": ReadLFENCERDTSC, "RDTSCP": ReadRDTSCP,
	} {
		ticks := make([]int64, 101)
		read(&ticks[0], 100)
		require.Greater(t, ticks[99], ticks[0], name)
		require.Zero(t, ticks[100], "%s wrote past its end", name)
	}
	SpinRDTSC(10)
	SpinLFENCERDTSC(10)
	SpinRDTSCP(10)
}
