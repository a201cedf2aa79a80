package observe

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// The stopwatch is CLOCK_MONOTONIC, which all processes share: it may be off by what tying
// it took, for which a CPU may have been away in each of twenty tries.
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
