//go:build 386 || arm || mips || mipsle

package clock

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// clockGettime reads a clock as the C libraries of 32-bit systems do: by clock_gettime64, and by the older
// clock_gettime where that is refused. Linux before 5.1 does not have the newer one, and old seccomp filters answer it
// with EPERM.
func clockGettime(id int32, now *unix.Timespec) error {
	var wide [2]int64
	if _, _, errno := unix.Syscall(unix.SYS_CLOCK_GETTIME64, uintptr(id), uintptr(unsafe.Pointer(&wide)), 0); errno != 0 {
		return unix.ClockGettime(id, now)
	}
	now.Sec, now.Nsec = int32(wide[0]), int32(wide[1]) //nolint:gosec // until 2038
	return nil
}
