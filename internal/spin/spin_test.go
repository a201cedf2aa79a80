package spin

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A loop ends by its deadline alone, and gives way meanwhile where it owns its CPU.
func TestDeadline(t *testing.T) {
	far := In(time.Hour)
	far.giveWayAt = 0
	require.False(t, far.Passed())
	require.Positive(t, far.giveWayAt)
	near := In(turn)
	for !near.Passed() {
	}
	require.True(t, near.Passed())
}

// A patience ends, after as many steps as it has; one that nobody heard of is not counted.
func TestPatience(t *testing.T) {
	p := NewPatience(20 * time.Millisecond)
	defer p.Stop()
	time.Sleep(100 * time.Millisecond) // as where the process is stopped
	heard := 1
	for <-p.Step(); !p.Over(); <-p.Step() {
		heard++
	}
	require.Equal(t, steps, heard)
}
