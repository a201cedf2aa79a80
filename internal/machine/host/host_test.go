package host

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
)

func TestFactsOfThisMachine(t *testing.T) {
	facts := Facts()
	require.Equal(t, runtime.GOOS, facts.OS)
	require.Equal(t, runtime.GOARCH, facts.Arch)
	require.NotEmpty(t, facts.Kernel)
	require.Positive(t, facts.CPU.Usable)
	require.LessOrEqual(t, facts.CPU.Usable, facts.CPU.Logical)
}

func TestUsableCPUsHeedsTheQuota(t *testing.T) {
	for _, c := range []struct {
		usable int
		quota  float64
		want   int
	}{{8, 0, 8}, {8, 1.5, 2}, {8, 2, 2}, {1, 4, 1}, {4, 0.1, 1}, {0, 0, 1}} {
		got := UsableCPUs(result.Host{CPU: result.CPU{Usable: c.usable, Quota: c.quota}})
		require.Equal(t, c.want, got, "%+v", c)
	}
}
