//go:build !(386 || amd64 || arm || ppc64le || s390x)

package wake

// This CPU has no poll(2): the C library makes ppoll(2) of it.
const (
	sysPoll = noCall
	noCall  = ^uintptr(0)
)
