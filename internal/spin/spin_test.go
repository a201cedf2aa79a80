package spin

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A loop ends by its deadline alone, and gives way meanwhile.
func TestDeadline(t *testing.T) {
	deadline := In(3 * turn)
	first := deadline.giveWayAt
	for !deadline.Passed() {
	}
	require.Greater(t, deadline.giveWayAt, first)
	require.True(t, deadline.Passed())

	past, far := In(0), In(time.Hour)
	require.True(t, past.Passed())
	require.False(t, far.Passed())
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
