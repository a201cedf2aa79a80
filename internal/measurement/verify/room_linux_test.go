package verify

import (
	"errors"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/system/program"
	"github.com/timebench/timebench/test/need"
)

// The system of these tests refuses a thousand threads.
func TestMain(m *testing.M) {
	program.Main(program.Roles{observe.ThreadsRole: func(args []string) error {
		if len(args[0]) > 3 {
			return errors.New("refused")
		}
		return nil
	}})
	os.Exit(m.Run())
}

// A run whose threads the system refuses has the reason: Go's runtime would end the process.
func TestThreadsThatTheSystemRefuses(t *testing.T) {
	need.Processes(t)
	v := Run(t.Context(), []clock.Clock{shared("good", now)},
		Settings{Time: 10 * time.Millisecond, CPUs: slices.Repeat([]int{0}, 1000)}, nil)
	require.Equal(t, Unverified, v.Clocks[0].Verdict)
	require.Contains(t, v.Clocks[0].Reason, "the system refuses 1000 threads (exit status 2)")
}
