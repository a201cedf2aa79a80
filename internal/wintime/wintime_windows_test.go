package wintime

import (
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func TestTimerHasAPeriodWithinItsLimits(t *testing.T) {
	timer, ok := QueryTimer()
	require.True(t, ok)
	require.Positive(t, timer.Finest)
	require.LessOrEqual(t, timer.Finest, timer.Period)
	require.LessOrEqual(t, timer.Period, timer.Coarsest)
	require.Less(t, timer.Coarsest, time.Second)
}

func TestRaiseTimerAndUndo(t *testing.T) {
	undo, err := RaiseTimer(time.Millisecond)
	require.NoError(t, err)
	undo()
}

func TestRaiseTimerRefuses(t *testing.T) {
	for _, period := range []time.Duration{0, -time.Millisecond, 1500 * time.Microsecond, time.Hour, 300 * 24 * time.Hour} {
		_, err := RaiseTimer(period)
		require.ErrorContains(t, err, "this Windows sets the timer to whole milliseconds from 1ms to ", "%s", period)
	}
}

func TestPerformanceFrequency(t *testing.T) {
	require.Greater(t, PerformanceFrequency(), int64(1000))
}

func TestSharedPage(t *testing.T) {
	require.NoError(t, Readable())
	require.Positive(t, TicksPerSecond())
	_, ok := QPCBypass()
	require.True(t, ok)
}

// As Windows sets them on a machine, in a guest of Hyper-V, and where the TSC is no use.
func TestBypassFlags(t *testing.T) {
	require.Equal(t, Bypass{Enabled: true, Shift: 10, Bias: 7}, bypassOf(0x81, 10, 7))
	require.Equal(t, Bypass{Enabled: true, HypervisorPage: true}, bypassOf(0x83, 0, 0))
	require.Equal(t, Bypass{}, bypassOf(0x80, 0, 0))
}

func TestTimesSettle(t *testing.T) {
	for _, offset := range []uintptr{SystemTime, InterruptTime, TickCount} {
		require.True(t, Settles(offset))
	}
}

// What is not there, and what must not be read, has a reason and no fault.
func TestPageThatCannotBeRead(t *testing.T) {
	require.EqualError(t, readable(0x1000), "this system shares no page with every process")
	require.Error(t, readable(1<<63))
	small := make([]byte, 16)
	require.NoError(t, readable(uintptr(unsafe.Pointer(&small[0]))), "memory of this process reads as well")
}
