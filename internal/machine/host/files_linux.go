package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/timebench/timebench/internal/system/debuglog"
	"github.com/timebench/timebench/internal/system/procfile"
	"golang.org/x/sys/unix"
)

// maxTable bounds the files that libraries read whole, in bytes. /proc/cpuinfo has about
// 2 KiB for each CPU, and Linux supports up to 8192 CPUs.
const maxTable = 32 << 20

// regular reports whether a file is regular, so that a read does not wait for another program, and has at most maxTable
// bytes. Files in /proc and /sys have the size 0.
func regular(path string) bool {
	info, err := os.Stat(path)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxTable) {
		err = fmt.Errorf("%s: %v with %d bytes; only regular files of at most %d bytes "+
			"are read", path, info.Mode(), info.Size(), maxTable)
	}
	traceError(err)
	return err == nil
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
