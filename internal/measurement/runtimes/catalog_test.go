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
