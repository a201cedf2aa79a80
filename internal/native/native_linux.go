//go:build linux && (amd64 || arm64)

package native

import "unsafe"

// CallIDBuffer calls the C function at address fn n times as fn(id, buffer),
// n ≥ 1, and returns what the last call returned. After each call buffer moves
// on by step bytes: with step 0 all calls write to one place, with the size of
// a result the n results stand one behind another.
func CallIDBuffer(fn, id uintptr, buffer unsafe.Pointer, step uintptr, n int) int

// CallBuffer is CallIDBuffer for a C function called as fn(buffer, NULL). A
// nil buffer with step 0 is passed as NULL.
func CallBuffer(fn uintptr, buffer unsafe.Pointer, step uintptr, n int) int

// SyscallIDBuffer enters the kernel n times, n ≥ 1, with system call number nr
// and arguments (id, buffer), and returns the last result: negative errno on
// failure. buffer moves on as in CallIDBuffer.
func SyscallIDBuffer(nr, id uintptr, buffer unsafe.Pointer, step uintptr, n int) int

// SyscallBuffer is SyscallIDBuffer with the arguments (buffer, NULL).
func SyscallBuffer(nr uintptr, buffer unsafe.Pointer, step uintptr, n int) int

// CallNothing calls a function that returns at once n times, n ≥ 1, as
// CallIDBuffer would. Its cost is the floor under every clock that is a call.
func CallNothing(n int)
