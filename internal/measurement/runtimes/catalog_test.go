package runtimes

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/instrument/ptrace"
	"github.com/timebench/timebench/internal/measurement/runtimes/programs"
	"github.com/timebench/timebench/internal/system/program"
	"github.com/timebench/timebench/test/need"
)

// The benchmark of Go is in timebench; the test binary takes its place.
func TestMain(m *testing.M) {
	program.Main(program.Roles{
		BenchmarkRole: func([]string) error { return programs.GoMain(os.Stdin, os.Stdout) },
		ptrace.Role:   ptrace.Follow,
	})
	os.Exit(m.Run())
}

func TestCatalogue(t *testing.T) {
	names := map[string]bool{}
	for _, r := range All {
		require.False(t, names[r.Name], r.Name)
		names[r.Name] = true
		require.NotEmpty(t, r.Calls, r.Name)
		calls := map[string]bool{emptyLoop: true, emptyCall: true}
		for _, c := range r.Calls {
			require.Contains(t, []string{wall, monotonic, cpuTime}, c.Kind, c.Name)
			require.False(t, calls[c.Name], "%s of %s appears twice", c.Name, r.Name)
			calls[c.Name] = true
		}
		found, ok := Named(r.Name)
		require.True(t, ok)
		require.Equal(t, r.Calls, found.Calls)
	}
	_, ok := Named("cobol")
	require.False(t, ok)
	require.Len(t, Names(), len(All))
}

// Windows starts the assembly by itself; Mono runs it. The compiler only shows where the framework is.
func TestNETFrameworkRunsItsAssembly(t *testing.T) {
	for path, want := range map[string]int{"/usr/bin/mono": 2, "CSC.EXE": 1} {
		command, err := netFramework.Build(build{path: path, folder: need.Folder(t)})
		require.NoError(t, err)
		require.Len(t, command, want, path)
		require.FileExists(t, command[len(command)-1])
		require.Equal(t, want == 2, command[0] == path)
	}
}
