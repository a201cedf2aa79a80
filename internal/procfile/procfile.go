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

// Read returns the contents of a regular file, of a longer one the first [Most] bytes. os.ReadFile has no bound, and an
// argument list of 64 GiB (/proc/PID/cmdline) costs its owner 2 MB.
func Read(path string) ([]byte, error) {
	// Opening a FIFO otherwise waits for its other end.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: errNotRegular}
	}
	return io.ReadAll(io.LimitReader(file, Most))
}
