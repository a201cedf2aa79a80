//go:build arm || loong64 || ppc64le || riscv64 || s390x

package native

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

const sysGettimeofday = unix.SYS_GETTIMEOFDAY

// The addresses of C functions that make the system calls, in syscall_linux.s; 0 for a call that the CPU does not have.
var clockGettime, clockGettime32, gettimeofday, timeOfSeconds uintptr

// SyscallIDBuffer makes the system call with number nr, SysClockGettime or SysClockGettime32, and arguments (id,
// buffer) n times, n ≥ 1, and returns the result of the last one: a negative errno on failure. It advances buffer as
// CallBuffer does.
func SyscallIDBuffer(nr, id uintptr, buffer unsafe.Pointer, step uintptr, n int) int {
	call := clockGettime
	if nr == SysClockGettime32 {
		call = clockGettime32
	}
	return CallIDBuffer(call, id, buffer, step, n)
}

// SyscallBuffer makes the system call with number nr, SYS_GETTIMEOFDAY or SysTime, and arguments (buffer, NULL), as
// SyscallIDBuffer does.
func SyscallBuffer(nr uintptr, buffer unsafe.Pointer, step uintptr, n int) int {
	call := gettimeofday
	if nr == SysTime {
		call = timeOfSeconds
	}
	return CallBuffer(call, buffer, step, n)
}
