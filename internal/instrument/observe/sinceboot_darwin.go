package observe

import "golang.org/x/sys/unix"

// CountsSuspend returns whether SinceBoot counts the time of a suspended machine.
func CountsSuspend() bool { return true }

// SinceBoot returns CLOCK_MONOTONIC_RAW in ns, which on macOS counts the time of a suspended machine
// (clock_gettime(3)).
func SinceBoot() int64 {
	var at unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC_RAW, &at) != nil {
		return Now()
	}
	return at.Nano()
}
