//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package folder

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// lock locks a folder by a file in it, until unlock is called or the process ends. Where the file system has no
// locks, it does nothing.
func lock(folder *os.Root) (unlock func(), err error) {
	file, err := folder.OpenFile(lockName, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) { // without O_CREATE: the name may be a link now
		file, err = folder.OpenFile(lockName, os.O_RDWR|unix.O_NONBLOCK, 0)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, errLocked // until a moment ago
		}
	}
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
		// The update before may have removed the file between its opening and its lock.
		opened, err := file.Stat()
		named, missing := folder.Lstat(lockName)
		if err == nil && missing == nil && os.SameFile(opened, named) {
			return func() {
				_ = folder.Remove(lockName)
				_ = file.Close()
			}, nil
		}
	}
	_ = file.Close()
	return nil, errLocked
}
