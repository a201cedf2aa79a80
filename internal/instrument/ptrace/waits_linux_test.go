package ptrace

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each call that waits is seen with its span, or with what remains of its deadline.
func TestWaits(t *testing.T) {
	usableOrSkip(t)
	spans, err := Trace(t.Context(), Waits, exec.Command(compiled(t, "waits", "-pthread")), ample)
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(spans), 11)
	const span = 3_000_000
	for _, of := range spans {
		require.Empty(t, of.Reads, of.Mark)
		name, deadline := strings.CutSuffix(of.Mark, " until")
		switch {
		case of.Mark == "nothing" || deadline && len(of.Waits) == 0: // the deadline was over when the tracer saw it
			require.Empty(t, of.Waits, of.Mark)
		case of.Mark == "other thread":
			require.Contains(t, of.Waits, Wait{Call: "clock_nanosleep", NS: span})
		case deadline:
			require.Len(t, of.Waits, 1)
			require.True(t, of.Waits[0].Deadline, of.Mark)
			require.Equal(t, name, of.Waits[0].Call)
			require.LessOrEqual(t, of.Waits[0].NS, int64(span))
		default:
			require.Equal(t, []Wait{{Call: name, NS: span}}, of.Waits)
		}
	}
}
