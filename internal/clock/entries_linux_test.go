package clock

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
)

func TestKernelEntries(t *testing.T) {
	clocks, err := Select(Catalog(), []string{"CLOCK_THREAD_CPUTIME_ID", "time", "hpet@mmio", "time.Now@go"})
	require.NoError(t, err)
	enters := map[string]string{}
	for i, verdict := range KernelEntries(clocks) {
		enters[clocks[i].ID] = verdict.Enters
	}
	require.Empty(t, enters["hpet@mmio"])
	require.Empty(t, enters["time.Now@go"])
	require.Equal(t, result.Always, enters["CLOCK_THREAD_CPUTIME_ID@syscall"])
	if vdso := enters["CLOCK_THREAD_CPUTIME_ID@vdso"]; vdso != "" {
		require.NotEqual(t, result.Never, vdso)
		require.NotEqual(t, result.Always, enters["time@vdso"])
	}
}
