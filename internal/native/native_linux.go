//go:build linux && (amd64 || arm64)

package native

import "unsafe"

// CallIDBuffer calls the C function at address fn n times as fn(id, buffer),
// n ≥ 1, and returns what the last call returned. buffer moves on as in
// CallBuffer.
func CallIDBuffer(fn, id uintptr, buffer unsafe.Pointer, step uintptr, n int) int

// SyscallIDBuffer enters the kernel n times, n ≥ 1, with system call number nr
// and arguments (id, buffer), and returns the last result: negative errno on
// failure. buffer moves on as in CallIDBuffer.
func SyscallIDBuffer(nr, id uintptr, buffer unsafe.Pointer, step uintptr, n int) int

// SyscallBuffer is SyscallIDBuffer with the arguments (buffer, NULL).
func SyscallBuffer(nr uintptr, buffer unsafe.Pointer, step uintptr, n int) int
