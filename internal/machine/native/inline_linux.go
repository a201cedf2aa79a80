//go:build linux && (amd64 || arm64)

package native

// SyscallInline makes the system call with number nr and arguments (first, second) n times, n ≥ 1, and returns the
// result of the last one: a negative errno on failure. The instruction is in the loop, not in a function of its own as
// in SyscallIDBuffer and in libc.
func SyscallInline(nr, first, second uintptr, n int) int
