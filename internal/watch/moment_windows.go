package watch

import (
	"time"
	"unsafe"

	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/host"
	"github.com/timebench/timebench/internal/machine/thread"
	"golang.org/x/sys/windows"
)

const suspendSeenBy = "the interrupt time counted it, the unbiased interrupt time did not"

var queryUnbiasedInterruptTime = windows.NewLazySystemDLL("kernel32.dll").NewProc("QueryUnbiasedInterruptTime")

// accountEvery: waited is called before each sleep.
const accountEvery = 0

// waited returns how long a CPU was busy on average since boot, in nanoseconds; -1 if that is unknown. A thread waits
// for a CPU only while all of them are busy.
func waited() int64 {
	total, known := host.See().CPUs[0] // the sum of all CPUs
	if !known {
		return -1
	}
	return int64(total.BusySeconds * 1e9 / float64(len(thread.Usable())))
}

// now reads the clocks. Without the shared page it knows no clock that counts suspend.
func now() moment {
	m := moment{at: time.Now(), wall: observe.WallClock(), countsSuspend: observe.CountsSuspend()}
	counting := monotonic
	if m.countsSuspend {
		counting = observe.SinceBoot
	}
	const few = 3 // a thread can lose its CPU between two readings
	m.boot = observe.TightestOf(few, monotonic, counting).Bracket
	return m
}

// monotonic returns the unbiased interrupt time in ns, which stands still while the machine is suspended.
func monotonic() int64 {
	units := new(int64) // 100 ns
	_, _, _ = queryUnbiasedInterruptTime.Call(uintptr(unsafe.Pointer(units)))
	return *units * 100
}
