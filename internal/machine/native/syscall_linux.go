//go:build !386 && !amd64 && !arm64

package native

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// On these CPUs Go makes the system calls, which adds about one per cent to their time.

// SyscallIDBuffer makes the system call with number nr and arguments (id, buffer) n times, n ≥ 1, and returns the
// result of the last one: a negative errno on failure. It advances buffer as CallBuffer does.
func SyscallIDBuffer(nr, id uintptr, buffer unsafe.Pointer, step uintptr, n int) (result int) {
	for i := range uintptr(n) {
		r, _, errno := unix.RawSyscall(nr, id, uintptr(unsafe.Add(buffer, i*step)), 0)
		if result = int(r); errno != 0 {
			result = -int(errno)
		}
	}
	return result
}

// SyscallBuffer is SyscallIDBuffer with the arguments (buffer, NULL).
func SyscallBuffer(nr uintptr, buffer unsafe.Pointer, step uintptr, n int) (result int) {
	for i := range uintptr(n) {
		r, _, errno := unix.RawSyscall(nr, uintptr(unsafe.Add(buffer, i*step)), 0, 0)
		if result = int(r); errno != 0 {
			result = -int(errno)
		}
	}
	return result
}
