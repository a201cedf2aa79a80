//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package cmd

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// locked keeps other runs from writing into a folder until unlock, so that the pictures of one
// do not come to lie beside the document of another. Where the file system has no
// locks, nothing keeps them.
func locked(folder string) (unlock func()) {
	file, err := os.Open(folder)
	if err != nil {
		return func() {}
	}
	for start := time.Now(); time.Since(start) < lockPatience; time.Sleep(time.Millisecond) {
		if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != unix.EWOULDBLOCK && err != unix.EINTR {
			break
		}
	}
	return func() { _ = file.Close() }
}
