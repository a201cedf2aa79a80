// Package procfile reads small files whose length another user or program decides, such as the files of /proc.
package procfile

import (
	"errors"
	"io"
	"strings"

	"github.com/timebench/timebench/internal/system/debuglog"
)

// Most is the maximum number of bytes that are read of a file.
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

// Field returns the rest of the first line of a file that begins with key, without spaces around it, as the value of
// "Seccomp:" in /proc/self/status; "" without such a line.
func Field(path, key string) string {
	content, err := Read(path)
	if err != nil {
		debuglog.Printf("procfile", "%v", err)
		return ""
	}
	for line := range strings.Lines(string(content)) {
		if value, ok := strings.CutPrefix(line, key); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
