package observe

import (
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/system/program"
	"github.com/timebench/timebench/test/need"
)

func TestMain(m *testing.M) {
	program.Main(program.Roles{ThreadsRole: HoldThreads})
	os.Exit(m.Run())
}

// The error has what the other process reported: here that it cannot read the number.
func TestThreadsThatTheSystemRefuses(t *testing.T) {
	need.Processes(t)
	require.NoError(t, RoomForThreads(t.Context(), 10))
	require.ErrorContains(t, RoomForThreads(t.Context(), math.MaxInt32), " (exit status 2); use fewer, or raise")
}
