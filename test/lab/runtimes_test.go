//go:build lab && linux

package lab

import (
	"cmp"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/runtimes"
)

// runtimesScript measures Go, the only runtime that is in every machine. It needs no root.
const runtimesScript = `
run runtimes su user -c 'timebench runtimes go --format json --call-time 20ms'
`

// checkRuntimes checks that the calls of Go read the same clocks in every world, and enter the kernel as the vDSO of
// this world does.
func (w world) checkRuntimes(t *testing.T, said ran) {
	measured := runtimes.Of(document(t, said)).Runtimes
	require.Len(t, measured, 1)
	require.True(t, measured[0].Available, measured[0].Reason)
	require.Empty(t, measured[0].Reason)
	for _, m := range measured[0].Calls {
		want := map[string][]string{"time.Now": {"CLOCK_REALTIME", "CLOCK_MONOTONIC"},
			"time.Since": {"CLOCK_MONOTONIC"}}[m.Call]
		require.Equal(t, want, m.Reads, m.ID)
		// Traced under emulation, a call takes so long that Go's scheduler reads clocks in between.
		require.Greater(t, m.AttributedCalls, m.TracedCalls/2, m.ID)
		enters := cmp.Or(w.vdso, result.Always)
		require.Equal(t, enters, m.KernelEntry, m.ID)
		require.Equal(t, enters == result.Never, m.WithoutVDSONS > 0, "%s: what enters the kernel here costs that already",
			m.ID)
	}
}
