package wintime

import (
	"fmt"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

var (
	ntdll                     = windows.NewLazySystemDLL("ntdll.dll")
	ntQueryTimer              = ntdll.NewProc("NtQueryTimerResolution")
	wineGetVersion            = ntdll.NewProc("wine_get_version")
	winmm                     = windows.NewLazySystemDLL("winmm.dll")
	timeGetDevCaps            = winmm.NewProc("timeGetDevCaps")
	timeBeginPeriod           = winmm.NewProc("timeBeginPeriod")
	timeEndPeriod             = winmm.NewProc("timeEndPeriod")
	kernel32                  = windows.NewLazySystemDLL("kernel32.dll")
	queryPerformanceFrequency = kernel32.NewProc("QueryPerformanceFrequency")
)

// unit is the unit of time in the kernel.
const unit = 100 * time.Nanosecond

// QueryTimer returns the period of the system timer from NtQueryTimerResolution. Microsoft does
// not document this function, but ClockRes of the Sysinternals tools prints its result. ok is
// false if there is no such function.
func QueryTimer() (timer Timer, ok bool) {
	if ntQueryTimer.Find() != nil {
		return Timer{}, false
	}
	// On the heap: the stack may move between taking an address and the call.
	answer := new([3]uint32) // coarsest, finest, current
	status, _, _ := ntQueryTimer.Call(
		uintptr(unsafe.Pointer(&answer[0])), uintptr(unsafe.Pointer(&answer[1])), uintptr(unsafe.Pointer(&answer[2])))
	if int32(status) < 0 {
		return Timer{}, false
	}
	return Timer{
		Coarsest: time.Duration(answer[0]) * unit,
		Finest:   time.Duration(answer[1]) * unit,
		Period:   time.Duration(answer[2]) * unit,
	}, true
}

// RaiseTimer requests a period of the system timer with timeBeginPeriod, in whole milliseconds,
// and returns a function that cancels the request. Windows also cancels it when the process
// ends, however it ends. The shortest requested period of all programs is in force. Since
// Windows 10 version 2004 it does not affect the sleeps of other programs.
func RaiseTimer(period time.Duration) (undo func(), err error) {
	for _, function := range []*windows.LazyProc{timeGetDevCaps, timeBeginPeriod, timeEndPeriod} {
		if err := function.Find(); err != nil {
			return nil, fmt.Errorf("this Windows has no %s in winmm.dll", function.Name)
		}
	}
	limits := new([2]uint32) // TIMECAPS, in ms
	if failed, _, _ := timeGetDevCaps.Call(uintptr(unsafe.Pointer(limits)), unsafe.Sizeof(*limits)); failed != 0 {
		return nil, fmt.Errorf("timeGetDevCaps failed with MMRESULT %d", failed)
	}
	ms := period.Milliseconds()
	if timer, ok := QueryTimer(); ok {
		// Windows accepts a longer period than the longest, without effect.
		limits[1] = min(limits[1], uint32(timer.Coarsest/time.Millisecond))
	}
	if period%time.Millisecond != 0 || ms < int64(limits[0]) || ms > int64(limits[1]) {
		return nil, fmt.Errorf("this Windows sets the timer to whole milliseconds from %dms to %dms", limits[0], limits[1])
	}
	if failed, _, _ := timeBeginPeriod.Call(uintptr(ms)); failed != 0 {
		return nil, fmt.Errorf("timeBeginPeriod(%d) failed with MMRESULT %d", ms, failed)
	}
	return func() { _, _, _ = timeEndPeriod.Call(uintptr(ms)) }, nil
}

// PerformanceFrequency returns QueryPerformanceFrequency: the ticks per second of the performance
// counter; 0 if it fails, which it does not since Windows XP.
func PerformanceFrequency() int64 {
	frequency := new(int64)
	_, _, _ = queryPerformanceFrequency.Call(uintptr(unsafe.Pointer(frequency)))
	return *frequency
}

// Wine reports whether this is Wine, by a function that only its ntdll has.
func Wine() bool { return wineGetVersion.Find() == nil }
