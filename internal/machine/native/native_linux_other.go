//go:build linux && !386 && !amd64 && !arm && !arm64 && !loong64 && !ppc64le && !riscv64 && !s390x

package native

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// CallIDBuffer calls nothing, and returns -1.
func CallIDBuffer(_, _ uintptr, _ unsafe.Pointer, _ uintptr, _ int) int { return -1 }

// SyscallIDBuffer makes the system call by RawSyscall, without the scheduler of Go.
func SyscallIDBuffer(nr, id uintptr, buffer unsafe.Pointer, step uintptr, n int) int {
	var result int
	escape(buffer)
	for range n {
		result = returned(unix.RawSyscall(nr, id, uintptr(buffer), 0))
		buffer = unsafe.Add(buffer, step)
	}
	return result
}

// SyscallBuffer is SyscallIDBuffer with the arguments (buffer, NULL).
func SyscallBuffer(nr uintptr, buffer unsafe.Pointer, step uintptr, n int) int {
	var result int
	escape(buffer)
	for range n {
		result = returned(unix.RawSyscall(nr, uintptr(buffer), 0, 0))
		buffer = unsafe.Add(buffer, step)
	}
	return result
}

// escape makes the compiler allocate the target of a buffer on the heap, as the package promises: the compiler does not
// know what a function value does with it.
var escape = func(unsafe.Pointer) {}

func returned(result, _ uintptr, errno unix.Errno) int {
	if errno != 0 {
		return -int(errno)
	}
	return int(result)
}
