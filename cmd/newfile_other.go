//go:build !windows

package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// readOnly are the flags to open a file for reading. A pipe that another user puts in its place
// must not block.
const readOnly = os.O_RDONLY | syscall.O_NONBLOCK

// isGone reports whether another run has just removed a folder.
func isGone(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// checkReplaceable finds nothing here: an open file can be replaced.
func checkReplaceable(string) error { return nil }

// cannotReplace returns the error for a file that cannot be replaced.
func cannotReplace(path string, err error) error {
	return fmt.Errorf("%s cannot be replaced: %w", path, systemError(err))
}

// removeFile removes a file of a folder.
func removeFile(folder *os.Root, name string) error { return folder.Remove(name) }

// removeFolder removes an empty folder in another one. With the slash, a file is an error.
func removeFolder(above *os.Root, name string) error { return above.Remove(name + "/") }
