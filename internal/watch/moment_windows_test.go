package watch

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The two interrupt times advance alike while the machine runs.
func TestInterruptTimesAdvanceAlike(t *testing.T) {
	before := now()
	require.True(t, before.countsSuspend)
	require.Positive(t, before.boot.Value)
	require.Positive(t, before.boot.Low, "the unbiased interrupt time")
	after := new(sleeper).sleep(t.Context(), 50*time.Millisecond)
	require.Greater(t, after.boot.Value, before.boot.Value)
	require.Greater(t, after.boot.Low, before.boot.Low)
	require.InDelta(t, after.boot.Middle()-before.boot.Middle(), after.boot.Value-before.boot.Value, float64(2*16*time.Millisecond))
}

func TestLateBy(t *testing.T) {
	const s = int64(time.Second)
	for name, test := range map[string]struct{ late, before, now, want int64 }{
		"all CPUs were idle":            {5 * s, 90 * s, 90 * s, 5 * s},
		"all were busy as long":         {5 * s, 90 * s, 95 * s, 0},
		"some were busy":                {5 * s, 90 * s, 92 * s, 3 * s},
		"not late":                      {s / 10, 90 * s, 90 * s, 0},
		"unknown":                       {5 * s, -1, -1, 0},
		"unknown now":                   {5 * s, 90 * s, -1, 0},
		"busy for longer than the late": {5 * s, 90 * s, 97 * s, -2 * s},
	} {
		require.Equal(t, test.want, lateBy(test.late, test.before, test.now), name)
	}
	busy := busyNS()
	require.GreaterOrEqual(t, busyNS(), busy)
}
