//go:build amd64 || arm64

package native

import "golang.org/x/sys/unix"

// CallTimed makes a system call, and stores CLOCK_MONOTONIC by a second call right behind it. It returns the result of
// the first: a negative errno on failure. The first may sleep without Go's scheduler knowing: no goroutine may wait for
// its thread.
//
// After a sleep of some milliseconds on a busy machine the caches have lost the program: reading a clock by Go then
// takes 25 µs longer.
//
// Memory: args and at are on the heap, like the arguments of every loop of this package, and live until it returns. An
// address in args is a number: what is there must be on the heap or global, and something else must keep it alive.
// Scheduler: the goroutine cannot be stopped meanwhile. Unless its thread has left the scheduler, a garbage collection
// waits for the end of the sleep.
func CallTimed(number uintptr, args *[6]uintptr, at *unix.Timespec) (result int)
