//go:build darwin || freebsd || netbsd || openbsd

package wake

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// unixWays are the ways that golang.org/x/sys has on these systems.
var unixWays = []Way{
	{ID: "kevent@libc", Call: "kevent(2)", open: func(c *cleanup) (sleeper, error) {
		queue, err := unix.Kqueue()
		if err != nil {
			return nil, fmt.Errorf("kqueue(2): %w", err)
		}
		c.add(func() { _ = unix.Close(queue) })
		events := make([]unix.Kevent_t, 1)
		return after(func(left int64) error {
			timeout := unix.NsecToTimespec(left)
			_, err := unix.Kevent(queue, nil, events, &timeout)
			return err
		}), nil
	}},
	{ID: "select@libc", Call: "select(2), in µs", open: func(*cleanup) (sleeper, error) {
		return after(func(left int64) error {
			timeout := unix.NsecToTimeval(left + 999)
			_, err := unix.Select(0, nil, nil, nil, &timeout)
			return err
		}), nil
	}},
	{ID: "poll@libc", Call: "poll(2), in ms", twin: "kevent@libc", twinLayer: Rounding,
		open: func(*cleanup) (sleeper, error) {
			return after(func(left int64) error {
				_, err := unix.Poll(nil, int((left+999_999)/1_000_000))
				return err
			}), nil
		}},
}
