//go:build linux || ((windows || darwin) && (amd64 || arm64))

package native

import "unsafe"

// CallBuffer calls the C function at address fn n times as fn(buffer, NULL), n ≥ 1, and returns
// the result of the last call. It advances buffer by step bytes after each call: with step 0 all
// calls write to the same place, with the size of a result the results are consecutive. A nil
// buffer with step 0 is passed as NULL.
func CallBuffer(fn uintptr, buffer unsafe.Pointer, step uintptr, n int) int

// CallNothing calls an empty function n times, n ≥ 1, as CallBuffer does. Its cost is the floor of
// every clock that is a call.
func CallNothing(n int)
