//go:build 386 || arm

package native

import "golang.org/x/sys/unix"

// The numbers of clock_gettime(2): with times of 64 bits, since Linux 5.1, and the older call with
// times of 32 bits.
const (
	SysClockGettime   uintptr = unix.SYS_CLOCK_GETTIME64
	SysClockGettime32 uintptr = unix.SYS_CLOCK_GETTIME
)
