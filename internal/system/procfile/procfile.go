// Package procfile reads small files whose length another user or program decides, such as those of /proc.
package procfile

import (
	"errors"
	"io"
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
