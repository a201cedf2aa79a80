package native

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// CallTimed makes a system call, and then stores CLOCK_MONOTONIC by a second one. It returns the result of the first: a
// negative errno on failure. Go's scheduler does not know that the first may sleep: no goroutine may wait for its
// thread.
//
// Memory: at is on the heap, where it does not move. An address in args is a number: what is there must be on the heap
// or global, and something else must keep it alive.
//
//go:nosplit
//go:norace
func CallTimed(number uintptr, args *[6]uintptr, at *unix.Timespec) (result int) {
	r, _, errno := unix.RawSyscall6(number, args[0], args[1], args[2], args[3], args[4], args[5])
	_, _, _ = unix.RawSyscall6(unix.SYS_CLOCK_GETTIME, unix.CLOCK_MONOTONIC, uintptr(unsafe.Pointer(at)), 0, 0, 0, 0)
	if errno != 0 {
		return -int(errno)
	}
	return int(r)
}
