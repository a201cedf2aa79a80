package observe

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A run may follow a switch of the kernel's clock source, and so of the stopwatch's cost.
func TestStopwatchIsTriedAnew(t *testing.T) {
	AssumeStopwatch(time.Hour, 2*time.Hour)
	require.Equal(t, time.Hour, StopwatchCost())
	require.Equal(t, 2*time.Hour, StopwatchTick())
	TryStopwatch()
	for _, found := range []time.Duration{StopwatchCost(), StopwatchTick()} {
		require.Positive(t, found)
		require.Less(t, found, time.Second)
	}
}
