package observe

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/test/need"
	"golang.org/x/sys/unix"
)

// The stopwatch is CLOCK_MONOTONIC, which all processes share. The error is the time that relating both took: a CPU may
// have been away in each of the twenty tries.
func TestStopwatchIsTheMachines(t *testing.T) {
	require.NoError(t, CommonStopwatch())
	var before, after unix.Timespec
	require.NoError(t, unix.ClockGettime(unix.CLOCK_MONOTONIC, &before))
	at := Now()
	require.NoError(t, unix.ClockGettime(unix.CLOCK_MONOTONIC, &after))
	const tied = 100_000_000
	require.GreaterOrEqual(t, at, before.Nano()-tied)
	require.LessOrEqual(t, at, after.Nano()+tied)
}

// In its own time namespace this test has a CLOCK_BOOTTIME an hour ahead of CLOCK_MONOTONIC, as after a suspend.
func TestWallClockIsBracketedWithSuspend(t *testing.T) {
	const inside = "TIMEBENCH_TEST_SUSPENDED"
	if os.Getenv(inside) == "" {
		need.Processes(t)
		command := exec.Command(need.Program(t, "unshare"), "--user", "--map-root-user", "--time", "--boottime", "3600",
			"--", os.Args[0], "-test.run", "^"+t.Name()+"$")
		command.Env = append(os.Environ(), inside+"=1")
		output, err := command.CombinedOutput()
		if strings.HasPrefix(string(output), "unshare: ") {
			need.Missing(t, "unshare", string(output))
		}
		require.NoError(t, err, string(output))
		return
	}
	require.InDelta(t, time.Hour, WallClock().Low-Now(), float64(time.Minute))
}
