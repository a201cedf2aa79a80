package wintime

import (
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"
)

func TestTimerHasAPeriodWithinItsLimits(t *testing.T) {
	timer, ok := QueryTimer()
	require.True(t, ok)
	require.Positive(t, timer.Finest)
	require.LessOrEqual(t, timer.Finest, timer.Period)
	require.LessOrEqual(t, timer.Period, timer.Coarsest)
	require.Less(t, timer.Coarsest, time.Second)
}

func TestRaiseTimer(t *testing.T) {
	undo, err := RaiseTimer(time.Millisecond)
	require.NoError(t, err)
	undo()
	for period, why := range map[time.Duration]string{
		0: "from ", -time.Millisecond: "from ", 100 * time.Nanosecond: "from ", time.Hour: "from ", 300 * 24 * time.Hour: "from ",
		1500*time.Microsecond + 1: "whole milliseconds", // the unit is 100 ns
	} {
		_, err := RaiseTimer(period)
		require.ErrorContains(t, err, "this Windows sets the timer to ", "%s", period)
		require.ErrorContains(t, err, why, "%s", period)
	}
}

// Half a millisecond is requested in units of 100 ns, and the same request is cancelled.
func TestSetTimer(t *testing.T) {
	var requests [][2]uintptr
	status := windows.STATUS_SUCCESS
	set := func(arguments ...uintptr) (uintptr, uintptr, error) {
		require.Len(t, arguments, 3)
		requests = append(requests, [2]uintptr{arguments[0], arguments[1]})
		return uintptr(status), 0, nil
	}
	undo, err := setTimer(500*time.Microsecond, set)
	require.NoError(t, err)
	undo()
	require.Equal(t, [][2]uintptr{{5000, 1}, {5000, 0}}, requests)
	status = windows.STATUS_NOT_IMPLEMENTED
	_, err = setTimer(500*time.Microsecond, set)
	require.ErrorIs(t, err, windows.STATUS_NOT_IMPLEMENTED)
}

func TestSharedPage(t *testing.T) {
	require.NoError(t, SharedPage.Readable())
	require.Positive(t, SharedPage.TicksPerSecond())
	_, ok := SharedPage.QPCBypass()
	require.True(t, ok)
	for _, offset := range []uintptr{SystemTime, InterruptTime, TickCount} {
		require.True(t, SharedPage.Settles(offset))
	}
}

// kernelMemory is an address of the upper half, which belongs to the kernel.
const kernelMemory = ^(^Page(0) >> 1)

// A page that does not exist or must not be read has a reason, causes no fault, and gives no
// facts.
func TestPageThatCannotBeRead(t *testing.T) {
	const none = "this system shares no page with every process"
	for page, reason := range map[Page]string{
		0: none, 0x1000: none, allocated(t, windows.PAGE_NOACCESS): none,
		allocated(t, windows.PAGE_READWRITE|windows.PAGE_GUARD): none,
		kernelMemory: "the page that the kernel shares with every process cannot be queried: ",
	} {
		require.ErrorContains(t, page.Readable(), reason)
		require.Zero(t, page.TicksPerSecond())
		bypass, ok := page.QPCBypass()
		require.False(t, ok)
		require.Zero(t, bypass)
		valid, known := HypervisorPage(page).Valid()
		require.False(t, valid || known)
	}
}

// allocated returns a page of this process, filled with zeros.
func allocated(t *testing.T, protection uint32) Page {
	t.Helper()
	address, err := windows.VirtualAlloc(0, 4096, windows.MEM_COMMIT|windows.MEM_RESERVE, protection)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, windows.VirtualFree(address, 0, windows.MEM_RELEASE)) })
	return Page(address)
}

// A page of zeros has no ticks, and the bypass is off.
func TestPageThatTellsNothing(t *testing.T) {
	page := allocated(t, windows.PAGE_READWRITE)
	require.NoError(t, page.Readable())
	require.Zero(t, page.TicksPerSecond())
	bypass, ok := page.QPCBypass()
	require.True(t, ok)
	require.Zero(t, bypass)
	require.True(t, page.Settles(SystemTime))
	*(*uint32)(page.at(InterruptTime)), *(*uint32)(page.at(InterruptTime + 4)), *(*uint32)(page.at(InterruptTime + 8)) = 0xfffffffe, 1, 1
	require.Equal(t, int64(0x1fffffffe), page.Time(InterruptTime))
	*(*uint32)(page.at(SystemTime + 4)) = 1 // the first high half alone
	require.False(t, page.Settles(SystemTime))
}

// The page of this Windows is readable if there is one, and no other answer is taken for a page.
func TestHypervisorPage(t *testing.T) {
	if page := QueryHypervisorPage(); page != 0 {
		_, known := page.Valid()
		require.True(t, known)
	}
	answer := func(address uintptr, bytes uint32, err error) func(int32, unsafe.Pointer, uint32, *uint32) error {
		return func(class int32, into unsafe.Pointer, room uint32, returned *uint32) error {
			require.EqualValues(t, 0xc5, class)
			require.EqualValues(t, unsafe.Sizeof(address), room)
			*(*uintptr)(into), *returned = address, bytes
			return err
		}
	}
	const full = uint32(unsafe.Sizeof(uintptr(0)))
	require.EqualValues(t, 0x7ffe1000, hypervisorPageBy(answer(0x7ffe1000, full, nil)))
	require.Zero(t, hypervisorPageBy(answer(0x7ffe1000, full, windows.STATUS_INVALID_INFO_CLASS)),
		"a build without the class")
	require.Zero(t, hypervisorPageBy(answer(0x7ffe1000, full/2, nil)), "a build with another class under this number")
	require.Zero(t, hypervisorPageBy(answer(0x7ffe1000, 0, nil)))
}
