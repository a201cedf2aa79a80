//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package wake

import (
	"fmt"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// A way in milliseconds stands after its twin in nanoseconds.
var systemWays = append(slices.Clone(ownWays), []Way{
	{ID: "kevent@libc", Call: "kevent(2)", open: func() (sleeper, error) {
		fd, err := unix.Kqueue()
		if err != nil {
			return nil, fmt.Errorf("kqueue(2): %w", err)
		}
		queue := os.NewFile(uintptr(fd), "") // closes it when nothing refers to it
		events := make([]unix.Kevent_t, 1)
		return after(func(left int64) error {
			timeout := unix.NsecToTimespec(left)
			_, err := unix.Kevent(int(queue.Fd()), nil, events, &timeout)
			return err
		}), nil
	}},
	{ID: "poll@libc", Call: "poll(2), in ms", twin: "kevent@libc", twinLayer: Rounding, open: simple(func(left int64) error {
		_, err := unix.Poll(nil, int((left+999_999)/1_000_000))
		return err
	})},
}...)
