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
