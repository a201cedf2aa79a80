//go:build freebsd || netbsd || openbsd

package wake

import (
	"slices"

	"golang.org/x/sys/unix"
)

var systemWays = slices.Concat([]Way{
	{ID: "nanosleep@libc", Call: "nanosleep(2)", open: func(*cleanup) (sleeper, error) {
		return after(func(left int64) error {
			at := unix.NsecToTimespec(left)
			return unix.Nanosleep(&at, nil)
		}), nil
	}},
}, unixWays)
