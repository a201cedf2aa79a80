package observe

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A deadline passes at its time, and not before.
func TestDeadline(t *testing.T) {
	d := deadlineAt(Now() + int64(time.Hour))
	require.False(t, d.passed())
	d.at = Now()
	require.True(t, d.passed())
	require.True(t, d.passed(), "it stays passed")
}

// A thread that owned its CPU for yieldAfter yields, and yields next after another yieldAfter.
func TestDeadlineGivesWay(t *testing.T) {
	owned := deadline{at: math.MaxInt64, giveWayAt: Now()}
	before := Now()
	require.False(t, owned.passed())
	require.GreaterOrEqual(t, owned.giveWayAt, before+int64(yieldAfter))
	next := owned.giveWayAt
	if owned.passed(); Now() < next {
		require.Equal(t, next, owned.giveWayAt, "its yieldAfter is not over")
	}
	shared := deadline{at: math.MaxInt64, giveWayAt: math.MaxInt64}
	require.False(t, shared.passed())
	require.Equal(t, int64(math.MaxInt64), shared.giveWayAt, "under an ordinary policy")
}
