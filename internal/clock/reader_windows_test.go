//go:build amd64 || arm64

package clock

import (
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock/entry"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/wintime"
	"golang.org/x/sys/windows"
)

func available(t *testing.T) map[string]Clock {
	t.Helper()
	all := map[string]Clock{}
	for _, c := range systemClocks() {
		reader, err := c.Open()
		if err != nil {
			t.Logf("%s: %v", c.ID, err)
			continue
		}
		require.NotNil(t, reader)
		require.Positive(t, c.Hz, c.ID)
		all[c.ID] = c
	}
	// Every Windows that Go runs on, and every Wine, has these.
	for _, id := range []string{"GetSystemTimeAsFileTime@winapi", "QueryPerformanceCounter@winapi",
		"NtQueryPerformanceCounter@syscall", "GetTickCount64@winapi", "SystemTime@memory"} {
		require.Contains(t, all, id)
	}
	return all
}

// one is a single value of the clock, in seconds.
func one(t *testing.T, c Clock) (value float64) {
	t.Helper()
	require.NoError(t, Use(c, func(reader Reader) {
		ticks := make([]int64, 1)
		reader.Read(ticks)
		require.NoError(t, Failure(reader))
		value = float64(ticks[0]) / c.Hz
	}))
	return value
}

// The values of the Readers are compared with the same calls made by package syscall before and
// after.
func TestReadersAgreeWithWindows(t *testing.T) {
	const slack = 0.1 // seconds: the coarse clocks tick every 15.6 ms
	clocks := available(t)
	const from1601to1970 = 11644473600
	for id, c := range clocks {
		if c.Kind == Wall {
			require.InDelta(t, float64(time.Now().UnixNano())/1e9, one(t, c)-from1601to1970, slack, id)
		}
	}
	viaSyscall := func(name string) float64 {
		value := new(int64)
		_, _, _ = windows.NewLazySystemDLL("kernel32.dll").NewProc(name).Call(uintptr(unsafe.Pointer(value)))
		return float64(*value)
	}
	for _, id := range []string{"QueryPerformanceCounter@winapi", "NtQueryPerformanceCounter@syscall"} {
		counter := clocks[id]
		before := viaSyscall("QueryPerformanceCounter") / counter.Hz
		value := one(t, counter)
		after := viaSyscall("QueryPerformanceCounter") / counter.Hz
		require.LessOrEqual(t, before, value, id)
		require.GreaterOrEqual(t, after, value, id)
	}
	for _, id := range []string{"GetTickCount@winapi", "GetTickCount64@winapi", "timeGetTime@winapi",
		"TickCount@memory", "InterruptTime@memory", "QueryInterruptTime@winapi"} {
		if c, ok := clocks[id]; ok {
			before := windows.DurationSinceBoot()
			got := one(t, c)
			after := windows.DurationSinceBoot()
			if id == "GetTickCount@winapi" || id == "timeGetTime@winapi" { // of 32 bits
				before, after = before%(1<<32*time.Millisecond), after%(1<<32*time.Millisecond)
			}
			require.InDelta(t, before.Seconds(), got, slack+(after-before).Seconds(), id)
		}
	}
}

func TestFunctionThatThereIsNot(t *testing.T) {
	_, err := openFunction("kernel32.dll", "QueryNoTime", stores)
	require.EqualError(t, err, "this Windows has no QueryNoTime in kernel32.dll")
	_, err = openFunction("notime.dll", "QueryNoTime", returns64)
	require.EqualError(t, err, "this Windows has no QueryNoTime in notime.dll")
}

// Without the shared page, its clocks are listed with a reason. An emulator may share the page without maintaining the
// time in it.
func TestMemoryClocksWithoutTheSharedPage(t *testing.T) {
	zeros, err := windows.VirtualAlloc(0, 4096, windows.MEM_COMMIT|windows.MEM_RESERVE, windows.PAGE_READWRITE)
	require.NoError(t, err)
	defer func() { require.NoError(t, windows.VirtualFree(zeros, 0, windows.MEM_RELEASE)) }()
	for page, reason := range map[uintptr]string{
		0x1000: "this system shares no page with every process",
		zeros:  "the kernel does not maintain this time in the page that it shares with every process",
	} {
		clocks := memoryClocks(wintime.Page(page))
		require.NotEmpty(t, clocks)
		for _, c := range clocks {
			_, err := c.Open()
			require.EqualError(t, err, reason, c.ID)
			require.Zero(t, c.ReportedNS(), c.ID)
			require.Equal(t, c.ID == "TickCount@memory", c.Hz == 0, "%s: nothing tells what its tick is", c.ID)
		}
	}
}

// A function that fails at run time returns the message of Windows. CloseHandle replaces a clock:
// with a bad handle it returns FALSE and sets the last error.
func TestFailureHasWindowsText(t *testing.T) {
	closeHandle := windows.NewLazySystemDLL("kernel32.dll").NewProc("CloseHandle").Addr()
	r := storing(closeHandle, storesBOOL)
	r.Spin(1)
	require.ErrorIs(t, r.Err(), windows.ERROR_INVALID_HANDLE)
	require.Contains(t, r.Err().Error(), "handle")
	r.check(1)
	require.NoError(t, r.Err())

	require.NoError(t, failedNTSTATUS(0, 0))
	require.ErrorIs(t, failedNTSTATUS(0, -0x3ffffffb), windows.STATUS_ACCESS_VIOLATION)
}

// The system call is in the default set, for comparison with QueryPerformanceCounter. Under Wine
// nothing shows whether it enters the kernel of the system below.
func TestSystemCallOfTheCounter(t *testing.T) {
	chosen, err := Select(Default(), []string{"@syscall"})
	require.NoError(t, err)
	require.Equal(t, "NtQueryPerformanceCounter@syscall", ids(chosen))
	verdict := KernelEntries(chosen)[0]
	if wintime.Wine() {
		require.Equal(t, entry.Verdict{Enters: result.Unknown, By: "Wine handles the call"}, verdict)
		return
	}
	require.Equal(t, result.Always, verdict.Enters)
}
