//go:build amd64 || arm64

package native

import "golang.org/x/sys/unix"

// CallTimed makes a system call, and stores CLOCK_MONOTONIC by a second call right behind it. It returns the result of
// the first: a negative errno on failure. The first may sleep without Go's scheduler knowing: no goroutine may wait for
// its thread.
//
// After a sleep of some milliseconds on a busy machine the caches have lost the program: reading a clock by Go then
// takes 25 µs longer.
func CallTimed(number uintptr, args *[6]uintptr, at *unix.Timespec) (result int)
