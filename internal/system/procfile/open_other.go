//go:build !linux

package procfile

import (
	"io/fs"
	"os"
	"syscall"
)

// Open opens a regular file for reading. A FIFO would wait for its other end, and a device may do anything: the file is
// checked before it is opened, and after it, because another may have taken its place.
func Open(path string) (*os.File, error) {
	if err := checked(path, os.Stat); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if err := checked(path, func(string) (fs.FileInfo, error) { return file.Stat() }); err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

func checked(path string, stat func(string) (fs.FileInfo, error)) error {
	info, err := stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: errNotRegular}
	}
	return err
}
