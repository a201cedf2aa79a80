//go:build !windows

package folder

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// readOnly are the flags to open a file for reading. A pipe that another user puts in its place
// must not block.
const readOnly = os.O_RDONLY | syscall.O_NONBLOCK

// checkReplaceable finds nothing here: an open file can be replaced.
func checkReplaceable(string) error { return nil }

func removeFile(folder *os.Root, name string) error { return folder.Remove(name) }

// own reports whether a file is regular and belongs to this user.
func own(info fs.FileInfo) bool {
	status, known := info.Sys().(*syscall.Stat_t)
	return known && info.Mode().IsRegular() && int(status.Uid) == os.Geteuid()
}

// RemoveFolder removes an empty folder in another one, and neither a file nor a link. No method of os.Root does only that.
func RemoveFolder(above *os.Root, name string) error {
	opened, err := above.Open(".")
	if err != nil {
		return err
	}
	defer func() { _ = opened.Close() }()
	return unix.Unlinkat(int(opened.Fd()), name, unix.AT_REMOVEDIR)
}
