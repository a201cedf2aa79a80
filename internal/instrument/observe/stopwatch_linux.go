package observe

import (
	"fmt"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// epoch relates Go's monotonic clock to CLOCK_MONOTONIC, which all processes share.
var epoch = func() (e struct {
	at  time.Time
	ns  int64
	err error // why CLOCK_MONOTONIC could not be read
}) {
	e.at = time.Now() // if a filter forbids the call, the stopwatch is valid for this process alone
	passed := func() int64 { return int64(time.Since(e.at)) }
	tied := TightestOf(20, passed, func() int64 {
		now, err := callNS(unix.CLOCK_MONOTONIC)
		if err != nil {
			e.err = fmt.Errorf("clock_gettime(2): %w", err)
		}
		return now
	})
	if e.err == nil {
		e.ns = tied.Value - tied.Middle()
	}
	return e
}()

// Now returns the nanoseconds of the stopwatch, CLOCK_MONOTONIC, read from the vDSO as Go's own clock is. At
// the same moment, the values of all processes differ by less than a microsecond.
func Now() int64 { return epoch.ns + int64(time.Since(epoch.at)) }

// SinceBoot returns CLOCK_BOOTTIME in ns, which counts the time of a suspended machine. If a filter forbids the call,
// it returns the stopwatch.
func SinceBoot() int64 {
	if ns, err := callNS(unix.CLOCK_BOOTTIME); err == nil {
		return ns
	}
	return Now()
}

// CommonStopwatch returns why the stopwatches of processes differ, or nil if they agree.
func CommonStopwatch() error { return epoch.err }

// CallNS returns a clock of clock_gettime(2) in ns, by a system call; 0 if the clock does not exist. The call is raw,
// because the work of Go's scheduler around a call varies.
func CallNS(clock uintptr) int64 {
	ns, _ := callNS(clock)
	return ns
}

func callNS(clock uintptr) (int64, error) {
	var at unix.Timespec
	if _, _, errno := unix.RawSyscall(unix.SYS_CLOCK_GETTIME, clock, uintptr(unsafe.Pointer(&at)), 0); errno != 0 {
		return 0, errno
	}
	return at.Nano(), nil
}
