package cmd

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
)

// On a machine without a vDSO the runtimes are compared with system calls.
func TestSystemClocksWithoutVDSO(t *testing.T) {
	there, err := clock.Select(clock.Catalog(), []string{"time.Now@go"})
	require.NoError(t, err)
	of := func(id string, path clock.Path, open func() (clock.Reader, error)) clock.Clock {
		return clock.Clock{ID: id + "@" + string(path), Path: path, Open: open}
	}
	absent := func() (clock.Reader, error) { return nil, errors.New("no vDSO") }
	all := []clock.Clock{of("time", clock.VDSO, absent), of("time", clock.Syscall, there[0].Open),
		of("CLOCK_REALTIME", clock.VDSO, absent)}
	require.Equal(t, "time@syscall", systemClocks(all)[0].ID)
	all[2].Open = there[0].Open
	require.Equal(t, "CLOCK_REALTIME@vdso", systemClocks(all)[0].ID)
	require.NotEmpty(t, systemClocks(nil))
}
