//go:build linux && (386 || amd64 || arm64)

package native

import "unsafe"

// SyscallIDBuffer makes the system call with number nr and arguments (id, buffer) n times, n ≥ 1,
// and returns the result of the last one: a negative errno on failure. It advances buffer as
// CallBuffer does.
func SyscallIDBuffer(nr, id uintptr, buffer unsafe.Pointer, step uintptr, n int) int

// SyscallBuffer is SyscallIDBuffer with the arguments (buffer, NULL).
func SyscallBuffer(nr uintptr, buffer unsafe.Pointer, step uintptr, n int) int
