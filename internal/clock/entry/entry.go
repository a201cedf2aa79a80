// Package entry tests whether a read of a clock enters the kernel.
//
// A vDSO function reads the time from memory that the kernel shares. If the vDSO cannot read the clock source of the
// kernel, the function makes the system call itself, and a read costs ten times as much. No interface reports which of
// the two happens, so this package proves it on the machine, without root.
//
// The proof is a seccomp filter (seccomp(2)) on a thread that ends afterwards. The filter answers the clocks' system
// calls with a special errno, but only for calls that would write to the probe's buffer. A read that returns this errno
// and leaves the buffer unchanged entered the kernel. A read that fills the buffer did not.
//
// If no filter can be installed, the CPU time accounting of the kernel decides: a read that
// enters the kernel uses system time, other reads use user time. If that is inconclusive, a read
// that costs far less than the system call did not make one. Otherwise the result is unknown.
package entry

import "unsafe"

// A Read makes n reads of a clock and returns the result of the last call: a negative errno, as a 32-bit int, if it
// failed. The value goes to buffer, 16 bytes that the caller owns; nil drops the value.
type Read func(buffer unsafe.Pointer, n int) int

// A Verdict is whether a read enters the kernel.
type Verdict struct {
	// Enters is never, always, sometimes or unknown; see package result.
	Enters string
	// By is the method: "seccomp", "cpu time" or "cost"; if Enters is unknown, the reason.
	By string
}
