package procfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/timebench/timebench/internal/system/debuglog"
	"golang.org/x/sys/unix"
)

// Open opens a regular file for reading, and nothing else: a FIFO would wait for its other end, and a device may do
// anything.
func Open(path string) (*os.File, error) {
	return OpenAt(unix.AT_FDCWD, path, 0, 0, func(*unix.Stat_t) error { return nil })
}

// OpenAt is [Open] for a path in an open folder, if accept returns no error for the file. flags are for openat(2). If
// resolve is not 0, it has the flags of openat2(2) for the path.
func OpenAt(folder int, path string, flags int, resolve uint64, accept func(*unix.Stat_t) error) (*os.File, error) {
	wrong := func(err error) (*os.File, error) { return nil, &fs.PathError{Op: "open", Path: path, Err: err} }
	// O_PATH finds a file and does not open it.
	found, err := openAt(folder, path, flags|unix.O_PATH, resolve)
	if err != nil {
		return wrong(err)
	}
	defer func() { _ = unix.Close(found) }()
	var stat unix.Stat_t
	if err := unix.Fstat(found, &stat); err != nil {
		return wrong(err)
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFREG {
		return wrong(errNotRegular)
	}
	if err := accept(&stat); err != nil {
		return wrong(err)
	}
	const reading = unix.O_RDONLY | unix.O_NONBLOCK
	fd, err := openAt(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", found), reading, 0)
	if errors.Is(err, unix.ENOENT) { // /proc is not mounted
		fd, err = openAt(folder, path, flags|reading, resolve)
	}
	if err != nil {
		return wrong(err)
	}
	var opened unix.Stat_t
	if err := unix.Fstat(fd, &opened); err != nil || opened.Dev != stat.Dev || opened.Ino != stat.Ino {
		_ = unix.Close(fd)
		return wrong(errors.Join(err, errReplaced))
	}
	return os.NewFile(uintptr(fd), path), nil
}

var errReplaced = errors.New("another file took its place")

func openAt(folder int, path string, flags int, resolve uint64) (int, error) {
	flags |= unix.O_CLOEXEC
	if resolve == 0 {
		return again(func() (int, error) { return unix.Openat(folder, path, flags, 0) })
	}
	fd, err := again(func() (int, error) {
		return unix.Openat2(folder, path, &unix.OpenHow{Flags: uint64(flags), Resolve: resolve})
	})
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
		// Linux before 5.6, or a seccomp filter that does not know openat2. Symbolic links on the way
		// may then lead out of the process's root. The caller compares the file with what it expects.
		debuglog.Printf("procfile", "openat2: %v; using openat", err)
		return openAt(folder, path, flags, 0)
	}
	return fd, err
}

// again repeats an open that a signal interrupts, as it may for a file of FUSE.
func again(open func() (int, error)) (fd int, err error) {
	for {
		if fd, err = open(); !errors.Is(err, unix.EINTR) {
			return fd, err
		}
	}
}
