//go:build unix && !linux

package program

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A process that leaves the group survives, and may hold the output open. Run returns the output until then.
func TestRunReturnsAnOutputThatIsHeld(t *testing.T) {
	out, err := Run(t.Context(), playing(t, "escape"), usual)
	require.NoError(t, err)
	var pid int
	for line := range strings.Lines(string(out)) { // the child may print first
		_, _ = fmt.Sscanf(line, "left %d", &pid)
	}
	require.NotZero(t, pid, "%q", out)
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
}
