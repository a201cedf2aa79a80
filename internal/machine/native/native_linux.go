//go:build linux && (386 || amd64 || arm || arm64 || loong64 || ppc64le || riscv64 || s390x)

package native

import "unsafe"

// CallIDBuffer calls the C function at address fn n times as fn(id, buffer), n ≥ 1, and returns the
// result of the last call. It advances buffer as CallBuffer does.
func CallIDBuffer(fn, id uintptr, buffer unsafe.Pointer, step uintptr, n int) int

// SyscallIDBuffer makes the system call with number nr and arguments (id, buffer) n times, n ≥ 1,
// and returns the result of the last one: a negative errno on failure. It advances buffer as
// CallBuffer does.
func SyscallIDBuffer(nr, id uintptr, buffer unsafe.Pointer, step uintptr, n int) int

// SyscallBuffer is SyscallIDBuffer with the arguments (buffer, NULL).
func SyscallBuffer(nr uintptr, buffer unsafe.Pointer, step uintptr, n int) int
