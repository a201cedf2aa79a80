//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package folder

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lock locks a folder until unlock is called or the process ends. Where the file system has no locks, it does nothing.
func lock(folder *os.Root) (unlock func(), locked bool) {
	opened, err := folder.Open(".")
	if err != nil {
		return nil, false
	}
	err = unix.Flock(int(opened.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, unix.EINTR) {
		_ = opened.Close()
		return nil, false
	}
	return func() { _ = opened.Close() }, true
}
