package wintime

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

var (
	ntdll                     = windows.NewLazySystemDLL("ntdll.dll")
	ntQueryTimer              = ntdll.NewProc("NtQueryTimerResolution")
	ntSetTimer                = ntdll.NewProc("NtSetTimerResolution")
	wineGetVersion            = ntdll.NewProc("wine_get_version")
	winmm                     = windows.NewLazySystemDLL("winmm.dll")
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

// RaiseTimer requests a period of the system timer, and returns a function that cancels the request. Windows also
// cancels it when the process ends, however it ends. The shortest requested period of all programs is in force. Since
// Windows 10 version 2004 it does not affect the sleeps of other programs.
//
// Whole milliseconds are requested with timeBeginPeriod. Other periods need NtSetTimerResolution, which Microsoft does
// not document.
func RaiseTimer(period time.Duration) (undo func(), err error) {
	timer, ok := QueryTimer()
	if ok && (period < timer.Finest || period > timer.Coarsest) {
		return nil, fmt.Errorf("this Windows sets the timer to periods from %s to %s", timer.Finest, timer.Coarsest)
	}
	if ms := period.Milliseconds(); period%time.Millisecond == 0 && ms > 0 {
		return beginPeriod(ms)
	}
	if !ok || period <= 0 || period%unit != 0 || ntSetTimer.Find() != nil {
		return nil, errors.New("this Windows sets the timer to whole milliseconds")
	}
	return setTimer(period, ntSetTimer.Call)
}

func beginPeriod(ms int64) (undo func(), err error) {
	for _, function := range []*windows.LazyProc{timeBeginPeriod, timeEndPeriod} {
		if err := function.Find(); err != nil {
			return nil, fmt.Errorf("this Windows has no %s in winmm.dll", function.Name)
		}
	}
	if failed, _, _ := timeBeginPeriod.Call(uintptr(ms)); failed != 0 {
		return nil, fmt.Errorf("timeBeginPeriod(%d) failed with MMRESULT %d", ms, failed)
	}
	return func() { _, _, _ = timeEndPeriod.Call(uintptr(ms)) }, nil
}

// setTimer requests a period with NtSetTimerResolution(period, set, &current).
func setTimer(period time.Duration, set func(...uintptr) (uintptr, uintptr, error)) (undo func(), err error) {
	current := new(uint32)
	request := func(on uintptr) windows.NTStatus {
		status, _, _ := set(uintptr(period/unit), on, uintptr(unsafe.Pointer(current)))
		return windows.NTStatus(uint32(status))
	}
	if status := request(1); int32(status) < 0 {
		return nil, fmt.Errorf("NtSetTimerResolution(%s): %w", period, status)
	}
	return func() { _ = request(0) }, nil
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
