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
