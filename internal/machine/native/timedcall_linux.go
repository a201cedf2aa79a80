//go:build amd64 || arm64

package native

import "golang.org/x/sys/unix"

// CallTimed makes a system call, and then stores CLOCK_MONOTONIC, by a second one right behind it. It returns the result
// of the first: a negative errno on failure. The first may sleep: Go's scheduler is not told, so its thread is one that
// nothing waits for.
//
// After a sleep of some milliseconds on a busy machine the program is in no cache any more. Reading a clock by Go then takes
// 25 µs longer.
func CallTimed(number uintptr, args *[6]uintptr, at *unix.Timespec) (result int)
