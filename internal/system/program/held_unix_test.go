//go:build unix && !linux

package program

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A process that leaves the group survives. While it holds the output, nobody knows the rest.
func TestRunReportsAnOutputThatIsHeld(t *testing.T) {
	out, err := Run(t.Context(), playing(t, "escape"), Limits{Time: ample, OutputBytes: 1e6})
	require.EqualError(t, err, "a process that it started holds its output open")
	var pid int
	for line := range strings.Lines(string(out)) { // the child may print first
		_, _ = fmt.Sscanf(line, "left %d", &pid)
	}
	require.NotZero(t, pid, "%q", out)
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
}
