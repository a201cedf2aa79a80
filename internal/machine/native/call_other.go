//go:build !((linux || windows || darwin) && (amd64 || arm64)) && !(linux && (386 || arm || loong64 || ppc64le || riscv64 || s390x))

package native

import "unsafe"

// CanCall says that this build has no loops that call C functions.
const CanCall = false

// CallBuffer calls nothing, and returns -1.
func CallBuffer(_ uintptr, _ unsafe.Pointer, _ uintptr, _ int) int { return -1 }

// CallNothing does nothing.
func CallNothing(int) {}
