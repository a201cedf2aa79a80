//go:build 386 || amd64 || arm || ppc64le || s390x

package wake

import "golang.org/x/sys/unix"

const (
	sysPoll = unix.SYS_POLL
	noCall  = ^uintptr(0)
)
