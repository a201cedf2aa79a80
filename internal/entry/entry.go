// Package entry finds out whether a read of a clock enters the kernel.
//
// A function of the vDSO answers from memory that the kernel shares, unless the
// kernel's clock source cannot be read from there: then it makes the system call
// itself, and a read costs ten times as much with nothing to show for it. Which it
// is cannot be looked up; it is proven here, on the machine, without root.
//
// The proof is a seccomp filter (seccomp(2)) on one thread that then ends. It answers
// the system calls behind the clocks with an errno of its own, but only when they
// would write to the probe's buffer. A read that gives that errno and leaves the
// buffer as it was went through the kernel; one that fills the buffer did not.
//
// Where no filter may be installed the kernel's own accounting tells: a read that
// enters the kernel spends system time, one that does not spends user time. Where
// that does not tell either, a read that is far cheaper than the system call did
// not make one. What is left is unknown, and said to be.
package entry

import "unsafe"

// A Read makes one read of a clock and returns what the call returned: a negative
// errno, as an int of 32 bits, where it failed. The value goes to buffer, 16 bytes
// that the caller owns; it is nil where the value is to be dropped.
type Read func(buffer unsafe.Pointer, n int) int

// A Verdict says whether a read enters the kernel.
type Verdict struct {
	// Enters is never, always, sometimes or unknown; see package result.
	Enters string
	// By is what told: "seccomp", "cpu time" or "cost"; of an unknown one, why
	// nothing did.
	By string
}
