package observe

import (
	"sync"
	"syscall"
	"unsafe"

	"github.com/timebench/timebench/internal/machine/wintime"
)

var (
	kernel32     = syscall.NewLazyDLL("kernel32.dll")
	queryCounter = kernel32.NewProc("QueryPerformanceCounter")
	tickNS       = func() float64 {
		frequency := new(int64)
		_, _, _ = kernel32.NewProc("QueryPerformanceFrequency").Call(uintptr(unsafe.Pointer(frequency)))
		return 1e9 / float64(max(*frequency, 1))
	}()
)

// Now returns the nanoseconds of the stopwatch, QueryPerformanceCounter, which all
// processes share. Go's own clock steps by up to 15 ms on Windows.
func Now() int64 {
	ticks := new(int64)
	_, _, _ = queryCounter.Call(uintptr(unsafe.Pointer(ticks)))
	return int64(float64(*ticks) * tickNS)
}

// CountsSuspend returns whether SinceBoot counts the time of a suspended machine.
var CountsSuspend = sync.OnceValue(func() bool { return wintime.SharedPage.Readable() == nil })

// SinceBoot returns the interrupt time in ns. Without the shared page it returns the stopwatch.
func SinceBoot() int64 {
	if CountsSuspend() {
		return wintime.SharedPage.Time(wintime.InterruptTime) * 100
	}
	return Now()
}

// CommonStopwatch returns nil: all processes read the same counter.
func CommonStopwatch() error { return nil }
