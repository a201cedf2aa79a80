//go:build freebsd || openbsd || netbsd

package clock

import "golang.org/x/sys/unix"

// clockGettime reads a clock.
func clockGettime(id int32, now *unix.Timespec) error { return unix.ClockGettime(id, now) }
