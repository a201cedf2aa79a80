package host

import (
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/timebench/timebench/internal/system/debuglog"
	"github.com/timebench/timebench/internal/system/procfile"
	"golang.org/x/sys/unix"
)

// maxTable is how many bytes of a file of many lines are read. /proc/cpuinfo has about 2 KiB for each CPU, and Linux
// supports up to 8192 CPUs.
const maxTable = 32 << 20

// readTable returns the text of a file of many lines below a root; "" if it cannot be read, or is not a regular file.
func readTable(root, name string) string {
	file, err := procfile.Open(filepath.Join(root, name))
	if err != nil {
		traceError(err)
		return ""
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, maxTable))
	traceError(err)
	return string(text)
}

// traceError traces why a file was not read. It ignores missing files: most machines lack
// some.
func traceError(err error) {
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, unix.ENOTDIR) {
		debuglog.Printf("host", "%v", err)
	}
}

// readFile returns the text of a file with one or a few values, trimmed; "" if it cannot be read.
func readFile(folder, name string) string {
	text, err := procfile.Read(filepath.Join(folder, name))
	if err != nil {
		traceError(err)
		return ""
	}
	return strings.TrimSpace(string(text))
}

func readName(folder, name string) string { return printable(readFile(folder, name)) }

// A reader returns the trimmed text of a file of a machine by its path below the root, or "".
type reader func(name string) string

// below returns the reader of the files below a root.
func below(root string) reader {
	return func(name string) string { return readFile(root, name) }
}

func (r reader) name(path string) string { return printable(r(path)) }
