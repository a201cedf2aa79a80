//go:build !windows

package folder

import (
	"os"
	"syscall"
)

// readOnly are the flags to open a file for reading. A pipe that another user puts in its place
// must not block.
const readOnly = os.O_RDONLY | syscall.O_NONBLOCK

// checkReplaceable finds nothing here: an open file can be replaced.
func checkReplaceable(string) error { return nil }

func removeFile(folder *os.Root, name string) error { return folder.Remove(name) }
