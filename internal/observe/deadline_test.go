package observe

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A deadline lies as far away as was asked for, and passes then and not before.
func TestDeadline(t *testing.T) {
	before := Now()
	d := DeadlineIn(time.Hour)
	require.GreaterOrEqual(t, d.at, before+int64(time.Hour))
	require.LessOrEqual(t, d.at, Now()+int64(time.Hour))
	require.False(t, d.Passed())
	d.at = Now()
	require.True(t, d.Passed())
	require.True(t, d.Passed(), "it stays passed")
}

// Where the thread owned its CPU for long enough it gives way, and has its next turn from
// then on.
func TestDeadlineGivesWay(t *testing.T) {
	owned := Deadline{at: math.MaxInt64, giveWayAt: Now()}
	before := Now()
	require.False(t, owned.Passed())
	require.GreaterOrEqual(t, owned.giveWayAt, before+int64(turn))
	next := owned.giveWayAt
	if owned.Passed(); Now() < next {
		require.Equal(t, next, owned.giveWayAt, "its turn is not over")
	}
	shared := Deadline{at: math.MaxInt64, giveWayAt: math.MaxInt64}
	require.False(t, shared.Passed())
	require.EqualValues(t, int64(math.MaxInt64), shared.giveWayAt, "under an ordinary policy")
}

// A patience ends, after as many steps as it has; one that nobody heard of is not counted.
func TestPatience(t *testing.T) {
	p := NewPatience(20 * time.Millisecond)
	defer p.Stop()
	time.Sleep(100 * time.Millisecond) // as where the process is stopped
	for heard := 1; heard <= steps; heard++ {
		select {
		case <-p.Step():
		case <-time.After(time.Minute):
			t.Fatalf("step %d did not come", heard)
		}
		require.Equal(t, heard == steps, p.Over(), "step %d", heard)
	}
}
