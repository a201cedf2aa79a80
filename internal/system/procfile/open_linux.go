package procfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// Open opens a regular file for reading. Nothing else is ever opened: a FIFO would wait for its other end, and a device may do
// anything.
func Open(path string) (*os.File, error) {
	return OpenIn(nil, path, func(*unix.Stat_t) error { return nil })
}

// OpenIn is [Open] for a path in a root, if it is not nil, and if accept returns no error for the file. The last element of
// the path in a root is no symbolic link.
func OpenIn(root *os.Root, path string, accept func(*unix.Stat_t) error) (*os.File, error) {
	open := func(flags int) (*os.File, error) {
		if root == nil {
			return os.OpenFile(path, flags, 0)
		}
		return root.OpenFile(path, flags|unix.O_NOFOLLOW, 0)
	}
	wrong := func(err error) (*os.File, error) {
		var of *fs.PathError
		if errors.As(err, &of) {
			err = of.Err
		}
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	found, err := open(unix.O_PATH) // finds a file and does not open it
	if err != nil {
		return wrong(err)
	}
	defer func() { _ = found.Close() }()
	var stat, opened unix.Stat_t
	if err := unix.Fstat(int(found.Fd()), &stat); err != nil {
		return wrong(err)
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFREG {
		return wrong(errNotRegular)
	}
	if err := accept(&stat); err != nil {
		return wrong(err)
	}
	const reading = unix.O_RDONLY | unix.O_NONBLOCK | unix.O_CLOEXEC
	fd, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", found.Fd()), reading, 0)
	for errors.Is(err, unix.EINTR) { // as an open of a file of FUSE may
		fd, err = unix.Open(fmt.Sprintf("/proc/self/fd/%d", found.Fd()), reading, 0)
	}
	var file *os.File
	switch {
	case err == nil:
		file = os.NewFile(uintptr(fd), path)
	case errors.Is(err, unix.ENOENT): // /proc is not mounted
		file, err = open(reading)
	}
	if err != nil {
		return wrong(err)
	}
	if err := unix.Fstat(int(file.Fd()), &opened); err != nil || opened.Dev != stat.Dev || opened.Ino != stat.Ino {
		_ = file.Close()
		return wrong(errors.Join(err, errReplaced))
	}
	return file, nil
}

var errReplaced = errors.New("another file took its place")
