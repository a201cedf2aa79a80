//go:build dragonfly || freebsd || netbsd || openbsd

package wake

import "golang.org/x/sys/unix"

var ownWays = []Way{{ID: "nanosleep@libc", Call: "nanosleep(2)", open: simple(func(left int64) error {
	at := unix.NsecToTimespec(left)
	return unix.Nanosleep(&at, nil)
})}}
