package watch

import (
	"context"
	"time"
	"unsafe"

	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/host"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/machine/wintime"
	"golang.org/x/sys/windows"
)

const suspendSeenBy = "the interrupt time counted it, the unbiased interrupt time did not"

var queryUnbiasedInterruptTime = windows.NewLazySystemDLL("kernel32.dll").NewProc("QueryUnbiasedInterruptTime")

// A sleeper sleeps. Its zero value is ready.
type sleeper struct{}

// sleep sleeps, at most until ctx ends, and returns the moment of its end. A sleep is late only by the time for which
// its thread cannot have waited for a CPU.
func (*sleeper) sleep(ctx context.Context, interval time.Duration) moment {
	begun, busy := monotonic(), busyNS()
	observe.Sleep(ctx, interval)
	m := now()
	m.sleptNS = int64(interval)
	m.lateNS = lateBy(m.boot.Low-begun-m.sleptNS, busy, busyNS())
	return m
}

// lateBy returns how late a sleep was without the time for which all CPUs may have been busy: a thread waits for a CPU
// only while all of them are. It is 0 if the time that the CPUs were busy is unknown.
func lateBy(late, busyBefore, busyNow int64) int64 {
	if late < int64(minStall) || busyBefore < 0 || busyNow < busyBefore {
		return 0
	}
	return late - (busyNow - busyBefore)
}

// busyNS returns how long a CPU was busy on average since boot; -1 if that is unknown.
func busyNS() int64 {
	total, known := host.See().CPUs[0] // the sum of all CPUs
	if !known {
		return -1
	}
	return int64(total.BusySeconds * 1e9 / float64(len(thread.Usable())))
}

// now reads the clocks. Without the shared page it knows no clock that counts suspend.
func now() moment {
	m := moment{at: time.Now(), countsSuspend: wintime.SharedPage.Readable() == nil}
	counting := monotonic
	if m.countsSuspend {
		counting = boot
	}
	const few = 3 // a thread can lose its CPU between two readings
	m.boot = observe.TightestOf(few, monotonic, counting).Bracket
	m.wall = observe.TightestOf(few, counting, func() int64 { return time.Now().UnixNano() }).Bracket
	return m
}

// monotonic returns the unbiased interrupt time in ns, which stands still while the machine is suspended.
func monotonic() int64 {
	units := new(int64) // 100 ns
	_, _, _ = queryUnbiasedInterruptTime.Call(uintptr(unsafe.Pointer(units)))
	return *units * 100
}

// boot returns the interrupt time in ns, which counts suspend.
func boot() int64 { return wintime.SharedPage.Time(wintime.InterruptTime) * 100 }
