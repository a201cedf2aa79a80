//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package folder

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Lock keeps other runs from writing into a folder until unlock. Otherwise the pictures of
// one run could end up beside the document of another. It does not lock if the file system has no
// locks, or if another process keeps the lock; nor against other machines on a network file system.
func Lock(folder *os.Root) (unlock func()) {
	file, err := folder.Open(".")
	if err != nil {
		return func() {}
	}
	for start := time.Now(); time.Since(start) < lockTimeout; time.Sleep(time.Millisecond) {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			break
		}
	}
	return func() { _ = file.Close() }
}
