package observe

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// CallNS returns a clock of clock_gettime(2) in ns, by a system call; 0 if there is no such clock. The call is raw:
// what Go's scheduler does around a call varies.
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
