package wake

import (
	"fmt"
	"sync"
	"unsafe"

	"golang.org/x/sys/windows"
)

var (
	kernel32                  = windows.NewLazySystemDLL("kernel32.dll")
	sleepMS                   = kernel32.NewProc("Sleep")
	createWaitableTimer       = kernel32.NewProc("CreateWaitableTimerExW")
	setWaitableTimer          = kernel32.NewProc("SetWaitableTimer")
	sleepConditionVariableSRW = kernel32.NewProc("SleepConditionVariableSRW")
	acquireSRWLockExclusive   = kernel32.NewProc("AcquireSRWLockExclusive")
	createThreadpoolTimer     = kernel32.NewProc("CreateThreadpoolTimer")
	setThreadpoolTimer        = kernel32.NewProc("SetThreadpoolTimer")
	closeThreadpoolTimer      = kernel32.NewProc("CloseThreadpoolTimer")
)

// highResolutionID is the way that is not bound to the tick of the system timer (Windows 10, version 1803).
const highResolutionID = "CreateWaitableTimerEx(HIGH_RESOLUTION)@winapi"

// systemWays are the ways of Windows. The others wait for a tick of the system timer, up to 15.6 ms.
var systemWays = []Way{
	{ID: "Sleep@winapi", Call: "Sleep, in ms", twin: highResolutionID, twinLayer: Rounding,
		open: func(*cleanup) (sleeper, error) {
			return after(func(ns int64) error {
				_, _, _ = sleepMS.Call(milliseconds(ns))
				return nil
			}), nil
		}},
	{ID: "CreateWaitableTimerEx@winapi", Call: "SetWaitableTimer, WaitForSingleObject", twin: highResolutionID,
		twinLayer: Rounding, open: waitable(0)},
	{ID: highResolutionID, Call: "CREATE_WAITABLE_TIMER_HIGH_RESOLUTION", open: waitable(2)},
	{ID: "SetThreadpoolTimer@winapi", Call: "SetThreadpoolTimer, until its callback signals an event", twin: highResolutionID,
		twinLayer: Rounding, open: threadpool},
	{ID: "SleepConditionVariableSRW@winapi", Call: "SleepConditionVariableSRW, in ms", twin: highResolutionID,
		twinLayer: Rounding, open: func(*cleanup) (sleeper, error) {
			variable, lock := new(uintptr), new(uintptr)
			_, _, _ = acquireSRWLockExclusive.Call(uintptr(unsafe.Pointer(lock)))
			return after(func(ns int64) error {
				woken, _, err := sleepConditionVariableSRW.Call(uintptr(unsafe.Pointer(variable)), uintptr(unsafe.Pointer(lock)),
					milliseconds(ns), 0)
				if woken == 0 && err != windows.ERROR_TIMEOUT { //nolint:errorlint // an Errno as it is
					return err
				}
				return nil
			}), nil
		}},
}

func milliseconds(ns int64) uintptr { return uintptr((ns + 999_999) / 1_000_000) }

// relativeTime returns a FILETIME in units of 100 ns that counts from now.
func relativeTime(ns int64) int64 { return -(ns + 99) / 100 }

// waitable opens a waitable timer with these flags.
func waitable(flags uintptr) func(*cleanup) (sleeper, error) {
	return func(c *cleanup) (sleeper, error) {
		const allAccess = 0x1f0003
		timer, _, err := createWaitableTimer.Call(0, 0, flags, allAccess)
		if timer == 0 {
			return nil, fmt.Errorf("CreateWaitableTimerEx: %w", err)
		}
		c.add(func() { _ = windows.CloseHandle(windows.Handle(timer)) })
		at := new(int64)
		return after(func(ns int64) error {
			*at = relativeTime(ns)
			if ok, _, err := setWaitableTimer.Call(timer, uintptr(unsafe.Pointer(at)), 0, 0, 0, 0); ok == 0 {
				return fmt.Errorf("SetWaitableTimer: %w", err)
			}
			_, err := windows.WaitForSingleObject(windows.Handle(timer), windows.INFINITE)
			return err
		}), nil
	}
}

// signal is the callback of the timers of the thread pool, whose context is the event to signal.
var signal = sync.OnceValue(func() uintptr {
	return windows.NewCallback(func(_, event, _ uintptr) uintptr {
		_ = windows.SetEvent(windows.Handle(event))
		return 0
	})
})

// threadpool opens a timer of the thread pool, and waits for the event that its callback signals.
func threadpool(c *cleanup) (sleeper, error) {
	event, err := windows.CreateEvent(nil, 0, 0, nil)
	if err != nil {
		return nil, fmt.Errorf("CreateEvent: %w", err)
	}
	timer, _, err := createThreadpoolTimer.Call(signal(), uintptr(event), 0)
	if timer == 0 {
		return nil, fmt.Errorf("CreateThreadpoolTimer: %w", err)
	}
	c.add(func() {
		_, _, _ = closeThreadpoolTimer.Call(timer)
		_ = windows.CloseHandle(event)
	})
	at := new(int64)
	return after(func(ns int64) error {
		*at = min(-1, relativeTime(ns))
		_, _, _ = setThreadpoolTimer.Call(timer, uintptr(unsafe.Pointer(at)), 0, 0)
		_, err := windows.WaitForSingleObject(event, windows.INFINITE)
		return err
	}), nil
}
