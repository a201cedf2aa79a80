//go:build !386 && !arm

package native

import "golang.org/x/sys/unix"

// The numbers of clock_gettime(2): with times of 64 bits, and the older call of 32-bit CPUs with
// times of 32 bits.
const (
	SysClockGettime   uintptr = unix.SYS_CLOCK_GETTIME
	SysClockGettime32         = NoSyscall
)
