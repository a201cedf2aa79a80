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
	winmm                     = windows.NewLazySystemDLL("winmm.dll")
	timeGetDevCaps            = winmm.NewProc("timeGetDevCaps")
	timeBeginPeriod           = winmm.NewProc("timeBeginPeriod")
	timeEndPeriod             = winmm.NewProc("timeEndPeriod")
	kernel32                  = windows.NewLazySystemDLL("kernel32.dll")
	queryPerformanceFrequency = kernel32.NewProc("QueryPerformanceFrequency")
)

// unit is the unit of the kernel's times.
const unit = 100 * time.Nanosecond

// QueryTimer asks for the system timer's period by NtQueryTimerResolution, which
// Microsoft does not describe, but whose answer ClockRes of the Sysinternals tools
// prints. ok is false where there is no such function.
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

// RaiseTimer asks for a period of the system timer by timeBeginPeriod, in whole
// milliseconds, and returns what takes the request back. Windows takes it back too
// when the process ends, however it ends. The shortest period that any program asked for
// is the one in force; since Windows 10 version 2004 another program's sleeps are not
// woken by it.
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
		// Longer than the longest is granted, and means nothing.
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

// PerformanceFrequency is QueryPerformanceFrequency: ticks a second of the
// performance counter. It cannot fail since Windows XP; 0 if it does.
func PerformanceFrequency() int64 {
	frequency := new(int64)
	_, _, _ = queryPerformanceFrequency.Call(uintptr(unsafe.Pointer(frequency)))
	return *frequency
}
