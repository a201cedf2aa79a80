package wake

import (
	"fmt"
	"sync"
	"unsafe"

	"golang.org/x/sys/windows"
)

var (
	kernel32                  = windows.NewLazySystemDLL("kernel32.dll")
	createWaitableTimer       = kernel32.NewProc("CreateWaitableTimerExW")
	setWaitableTimer          = kernel32.NewProc("SetWaitableTimer")
	sleepConditionVariableSRW = kernel32.NewProc("SleepConditionVariableSRW")
	acquireSRWLockExclusive   = kernel32.NewProc("AcquireSRWLockExclusive")
	releaseSRWLockExclusive   = kernel32.NewProc("ReleaseSRWLockExclusive")
	createThreadpoolTimer     = kernel32.NewProc("CreateThreadpoolTimer")
	setThreadpoolTimer        = kernel32.NewProc("SetThreadpoolTimer")
)

var systemWays = []Way{
	byTicks("Sleep", "Sleep, in ms", simple(func(ns int64) error {
		windows.SleepEx(milliseconds(ns), false)
		return nil
	})),
	byTicks("CreateWaitableTimerEx", "SetWaitableTimer, WaitForSingleObject", waitable(0)),
	{ID: HighResolutionID, Call: "CREATE_WAITABLE_TIMER_HIGH_RESOLUTION", open: waitable(2)},
	byTicks("SetThreadpoolTimer", "SetThreadpoolTimer, until its callback signals an event", threadpool),
	byTicks("SleepConditionVariableSRW", "SleepConditionVariableSRW, in ms", func() (sleeper, error) {
		variable, lock := new(uintptr), new(uintptr)
		return after(func(ns int64) error {
			_, _, _ = acquireSRWLockExclusive.Call(uintptr(unsafe.Pointer(lock))) // its owner is a thread
			woken, _, err := sleepConditionVariableSRW.Call(uintptr(unsafe.Pointer(variable)), uintptr(unsafe.Pointer(lock)),
				uintptr(milliseconds(ns)), 0)
			_, _, _ = releaseSRWLockExclusive.Call(uintptr(unsafe.Pointer(lock)))
			if woken == 0 && err != windows.ERROR_TIMEOUT { //nolint:errorlint // an Errno as it is
				return err
			}
			return nil
		}), nil
	}),
}

// byTicks returns a way that waits for a tick of the system timer, up to 15.6 ms.
func byTicks(name, call string, open func() (sleeper, error)) Way {
	return Way{ID: name + "@winapi", Call: call, twin: HighResolutionID, twinLayer: Rounding, open: open}
}

func milliseconds(ns int64) uint32 { return uint32((ns + 999_999) / 1_000_000) }

// waitable opens a waitable timer with these flags.
func waitable(flags uintptr) func() (sleeper, error) {
	return func() (sleeper, error) {
		const allAccess = 0x1f0003
		timer, _, err := createWaitableTimer.Call(0, 0, flags, allAccess)
		if timer == 0 {
			return nil, fmt.Errorf("CreateWaitableTimerEx: %w", err)
		}
		return waiting(windows.Handle(timer), func(at *int64) error {
			if armed, _, err := setWaitableTimer.Call(timer, uintptr(unsafe.Pointer(at)), 0, 0, 0, 0); armed == 0 {
				return fmt.Errorf("SetWaitableTimer: %w", err)
			}
			return nil
		}), nil
	}
}

// waiting returns a sleeper that arms a timer, and waits for the object that it signals. The end of the process closes
// them.
func waiting(signalled windows.Handle, arm func(at *int64) error) sleeper {
	at := new(int64)
	return after(func(ns int64) error {
		*at = min(-1, -(ns+99)/100) // a FILETIME in units of 100 ns that counts from now
		err := arm(at)
		if err == nil {
			_, err = windows.WaitForSingleObject(signalled, windows.INFINITE)
		}
		return err
	})
}

// signal is the callback of the timers of the thread pool, whose context is the event to signal.
var signal = sync.OnceValue(func() uintptr {
	return windows.NewCallback(func(_, event, _ uintptr) uintptr {
		_ = windows.SetEvent(windows.Handle(event))
		return 0
	})
})

// threadpool opens a timer of the thread pool, and waits for the event that its callback signals.
func threadpool() (sleeper, error) {
	event, err := windows.CreateEvent(nil, 0, 0, nil)
	if err != nil {
		return nil, fmt.Errorf("CreateEvent: %w", err)
	}
	timer, _, err := createThreadpoolTimer.Call(signal(), uintptr(event), 0)
	if timer == 0 {
		return nil, fmt.Errorf("CreateThreadpoolTimer: %w", err)
	}
	return waiting(event, func(at *int64) error {
		_, _, _ = setThreadpoolTimer.Call(timer, uintptr(unsafe.Pointer(at)), 0, 0) // it returns nothing
		return nil
	}), nil
}
