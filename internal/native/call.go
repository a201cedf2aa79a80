//go:build (linux || windows) && (amd64 || arm64)

package native

import "unsafe"

// CallBuffer calls the C function at address fn n times as fn(buffer, NULL),
// n ≥ 1, and returns what the last call returned. After each call buffer moves
// on by step bytes: with step 0 all calls write to one place, with the size of
// a result the n results stand one behind another. A nil buffer with step 0 is
// passed as NULL.
func CallBuffer(fn uintptr, buffer unsafe.Pointer, step uintptr, n int) int

// CallNothing calls a function that returns at once n times, n ≥ 1, as
// CallBuffer would. Its cost is the floor under every clock that is a call.
func CallNothing(n int)
