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

// leave removes the empty work folder before it is unlocked: another update must not enter it in between.
func (u *Update) leave() {
	_ = RemoveFolder(u.folder, u.name)
	_ = u.work.Close()
	u.unlock()
}

// RemoveFolder removes an empty folder in another one. With the slash, a file is an error.
func RemoveFolder(above *os.Root, name string) error { return above.Remove(name + "/") }
