//go:build !arm

// On arm the kernel may forbid the counter, and this package does not know that; package clock reads it.

package native

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCountersMoveForward(t *testing.T) {
	for _, counter := range Counters() {
		if !counter.Present {
			continue
		}
		const reads = 100_000 // a slow counter ticks meanwhile
		ticks := make([]int64, reads+1)
		counter.Read(&ticks[0], reads)
		require.Greater(t, ticks[reads-1], ticks[0], counter.Name)
		require.Zero(t, ticks[reads], "%s wrote past its end", counter.Name)
		counter.Spin(10)
	}
}
