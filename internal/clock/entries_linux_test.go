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
	if reader, err := openOne(t, "CLOCK_THREAD_CPUTIME_ID@vdso"); err == nil && reader != nil {
		require.NotEqual(t, result.Never, enters["CLOCK_THREAD_CPUTIME_ID@vdso"])
		require.NotEqual(t, result.Always, enters["time@vdso"])
	}
}

func openOne(t *testing.T, id string) (Reader, error) {
	t.Helper()
	clocks, err := Select(Catalog(), []string{id})
	require.NoError(t, err)
	return clocks[0].Open()
}
