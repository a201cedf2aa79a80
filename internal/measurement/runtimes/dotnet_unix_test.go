//go:build unix

package runtimes

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A runtime like dotnet: its benchmark prints the version.
func TestBenchmarkPrintsTheVersion(t *testing.T) {
	for commands, want := range map[string]struct{ version, reason string }{
		"echo '.NET 9.8.7'": {version: ".NET 9.8.7"},
		"echo none":         {reason: `it does not print a version: "none\n"`},
		"echo no framework >&2; exit 150": {
			reason: "its version could not be asked for: exit status 150: no framework",
		},
	} {
		asked := shell(t, "echo 1.1", "if [ \"$1\" = version ]; then\n"+commands+"\nexit\nfi\n"+honest)
		asked.Version = nil
		one := run(t, Settings{Runtimes: []Selected{asked}}).Runtimes[0]
		require.Equal(t, want.version, one.Version)
		require.Equal(t, want.reason, one.Reason)
		require.Equal(t, want.reason == "", one.Available)
	}
}
