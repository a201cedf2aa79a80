// Package procfile reads small files whose length another user or program decides, such as those of /proc.
package procfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Most is how many bytes of a file are read at most.
const Most = 64 << 10

var errNotRegular = errors.New("not a regular file")

// Read returns at most the first [Most] bytes of a regular file. os.ReadFile has no bound, and an
// argument list of 64 GiB (/proc/PID/cmdline) costs its owner 2 MB.
func Read(path string) ([]byte, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return io.ReadAll(io.LimitReader(file, Most))
}

// Open opens a regular file. For a FIFO, os.Open waits for its other end.
func Open(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: errNotRegular}
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}
