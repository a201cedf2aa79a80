package observe

import (
	"testing"

	"github.com/stretchr/testify/require"
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

// A thread that loses its CPU during the work notices, and its CPU counts as gone.
func TestThreadThatIsMovedNotices(t *testing.T) {
	cpus := twoCPUs(t)
	r := Together(t.Context(), counting(), cpus, long, 0, func(s *Member) {
		if s.Index == 0 {
			return
		}
		var set unix.CPUSet
		set.Set(cpus[0])
		if err := unix.SchedSetaffinity(0, &set); err != nil {
			panic(err)
		}
		untilOver(t, s)
	})
	require.Equal(t, []int{cpus[1]}, r.Gone)
	require.False(t, r.Ended[1].Sound())
	require.True(t, r.Ended[0].Sound())
	require.Empty(t, r.Late)
}
