//go:build !windows

package folder

import (
	"io/fs"
	"os"
	"syscall"
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
