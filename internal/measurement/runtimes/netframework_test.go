package runtimes

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Windows starts the assembly by itself; Mono runs it. The compiler only shows where the framework is.
func TestNETFrameworkRunsItsAssembly(t *testing.T) {
	for path, want := range map[string]int{"/usr/bin/mono": 2, "CSC.EXE": 1} {
		command, err := netFramework.Build(build{path: path, folder: t.TempDir()})
		require.NoError(t, err)
		require.Len(t, command, want, path)
		require.FileExists(t, command[len(command)-1])
		require.Equal(t, want == 2, command[0] == path)
	}
}
