package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/shirou/gopsutil/v4/common"
	"github.com/timebench/timebench/internal/trace"
	"golang.org/x/sys/unix"
)

const (
	// longestFile bounds what is read of a file with one or a few values.
	longestFile = 64 << 10
	// longestTable bounds the files that libraries read whole. /proc/cpuinfo has
	// some 2 KiB for each CPU, and the kernel knows up to 8192 of them.
	longestTable = 32 << 20
	// longestName bounds a name, in bytes.
	longestName = 200
)

// regular reports whether a file can be read without waiting for another program,
// and has at most a number of bytes. Files in /proc and /sys have no size.
func regular(path string, bytes int64) bool {
	info, err := os.Stat(path)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > bytes) {
		err = fmt.Errorf("%s: %v with %d bytes; read are regular files with at most %d", path, info.Mode(), info.Size(), bytes)
	}
	gaveUp(err)
	return err == nil
}

// gaveUp reports why a file was not read. That there is none is no news: most machines
// lack some.
func gaveUp(err error) {
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, unix.ENOTDIR) {
		trace.Printf("host", "%v", err)
	}
}

// readFile returns the text of a small file without the space around it; "" where it
// cannot be read.
func readFile(folder, name string) string {
	path := filepath.Join(folder, name)
	if !regular(path, longestFile) {
		return ""
	}
	file, err := os.Open(path)
	if err != nil {
		gaveUp(err)
		return ""
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, longestFile))
	if err != nil {
		gaveUp(err)
		return ""
	}
	return strings.TrimSpace(string(text))
}

// readName returns the name that is all of a file.
func readName(folder, name string) string { return printable(readFile(folder, name)) }

// printable returns a name without the space around it; "" where it is none that a
// kernel or a firmware would give: no text, too long, or with characters that would
// steer a terminal.
func printable(name string) string {
	name = strings.TrimSpace(name)
	odd := func(r rune) bool { return !unicode.IsPrint(r) }
	if len(name) > longestName || !utf8.ValidString(name) || strings.ContainsFunc(name, odd) {
		return ""
	}
	return name
}

// below has gopsutil read the files below root.
func below(root string) context.Context {
	return context.WithValue(context.Background(), common.EnvKey, common.EnvMap{
		common.HostProcEnvKey: filepath.Join(root, "proc"),
		common.HostSysEnvKey:  filepath.Join(root, "sys"),
	})
}

// belowProc has gopsutil read /proc below root, and find no /sys.
func belowProc(root string) context.Context {
	return context.WithValue(context.Background(), common.EnvKey, common.EnvMap{
		common.HostProcEnvKey: filepath.Join(root, "proc"),
		common.HostSysEnvKey:  os.DevNull,
	})
}
