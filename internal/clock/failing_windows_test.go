//go:build amd64 || arm64

package clock_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/measurement/measure"
	"golang.org/x/sys/windows"
)

// In a whole run, a function that fails is a row with the message of Windows; another clock is
// measured.
func TestFailureIsARowOfAMeasurement(t *testing.T) {
	all := clock.Catalog()
	good := all[slices.IndexFunc(all, func(c clock.Clock) bool { return c.ID == "QueryPerformanceCounter@winapi" })]
	measured, err := measure.Run(t.Context(), []clock.Clock{clock.Failing(), good},
		measure.Settings{Threads: []int{1, 2}, Rounds: 2, Time: 5 * time.Millisecond, CPUs: 2}, nil)
	require.NoError(t, err)
	require.Len(t, measured.Clocks, 2)
	failed := measured.Clocks[0]
	require.Equal(t, "CloseHandle@winapi", failed.ID)
	require.False(t, failed.Available)
	require.Equal(t, "failed while it was read: "+windows.ERROR_INVALID_HANDLE.Error(), failed.Reason)
	require.Contains(t, failed.Reason, "handle", "the text, not only the number")
	require.Nil(t, failed.Latency)
	require.Empty(t, failed.Throughput)
	require.True(t, measured.Clocks[1].Available, measured.Clocks[1].Reason)
}
