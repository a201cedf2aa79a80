package cmd

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/test/need"
)

func TestNoRuntimeIsThere(t *testing.T) {
	t.Setenv("PATH", need.Folder(t))
	root := Root()
	root.SetOut(io.Discard)
	root.SetErr(io.Discard)
	root.SetArgs([]string{"runtimes", "perl", "ruby", "perl"})
	var failed *failure
	require.ErrorAs(t, root.Execute(), &failed)
	require.Equal(t, 1, failed.status)
	require.ErrorContains(t, failed,
		"none of the chosen runtimes could be measured: perl (not found in PATH: perl), ruby (not found in PATH: ruby)")
}

func TestSelectedRuntimes(t *testing.T) {
	all, err := selectedRuntimes(nil, nil)
	require.NoError(t, err)
	require.Greater(t, len(all), 10)
	program := filepath.Join(need.Folder(t), "jdk=25.exe")
	require.NoError(t, os.WriteFile(program, nil, 0o755))
	some, err := selectedRuntimes([]string{"perl", "java", "perl"}, []string{"java=" + program})
	require.NoError(t, err)
	require.Len(t, some, 3)
	require.Equal(t, "java", some[2].Name)
	require.Equal(t, program, some[2].Path)
	require.Empty(t, some[1].Path)
	only, err := selectedRuntimes(nil, []string{"c=" + program})
	require.NoError(t, err)
	require.Len(t, only, 1, "not all others too")
}

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
