//go:build !linux && !((windows || darwin) && (amd64 || arm64))

package native

import "unsafe"

// CanCall says that this build has no loops that call C functions.
const CanCall = false

// CallBuffer calls nothing, and returns -1.
func CallBuffer(_ uintptr, _ unsafe.Pointer, _ uintptr, _ int) int { return -1 }

// CallNothing does nothing.
func CallNothing(int) {}
