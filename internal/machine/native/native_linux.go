package native

import "unsafe"

// CallIDBuffer calls the C function at address fn n times as fn(id, buffer), n ≥ 1, and returns the
// result of the last call. It advances buffer as CallBuffer does.
func CallIDBuffer(fn, id uintptr, buffer unsafe.Pointer, step uintptr, n int) int
