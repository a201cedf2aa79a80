package folder

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// readOnly are the flags to open a file for reading.
const readOnly = os.O_RDONLY

// removeFile removes a file of a folder, by its path: Wine 8 does not know the request by which Go
// deletes relative to an open folder (FileDispositionInfoEx).
func removeFile(folder *os.Root, name string) error { return os.Remove(Path(folder, name)) }

// RemoveFolder removes an empty folder in another one, and no file.
func RemoveFolder(above *os.Root, name string) error { return syscall.Rmdir(Path(above, name)) }

// lock locks a folder until unlock is called or the process ends, by a file that no other program can open meanwhile.
func lock(folder *os.Root) (unlock func(), locked bool) {
	name, err := windows.UTF16PtrFromString(Path(folder, "lock"))
	if err != nil {
		return nil, false
	}
	handle, err := windows.CreateFile(name, windows.GENERIC_READ|windows.DELETE, 0, nil, windows.OPEN_ALWAYS, windows.FILE_FLAG_DELETE_ON_CLOSE, 0)
	if err != nil {
		return nil, false
	}
	return func() { _ = windows.CloseHandle(handle) }, true
}

// leave removes the work folder after it is unlocked: no open folder can be removed. That of an update that has entered it in
// between has the file of its lock, and stays.
func (u *Update) leave() {
	_ = u.work.Close()
	u.unlock()
	_ = RemoveFolder(u.folder, u.name)
}

// checkReplaceable returns an error if another program has the file open without FILE_SHARE_DELETE, as
// editors and viewers do. MoveFileEx would report only "access denied", so it opens the file for deletion.
func checkReplaceable(path string) error {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return err
	}
	const shareAll = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	handle, err := windows.CreateFile(name, windows.DELETE, shareAll, nil, windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if err == nil {
		return windows.CloseHandle(handle)
	}
	if errors.Is(err, windows.ERROR_SHARING_VIOLATION) {
		return fmt.Errorf("%s cannot be replaced: another program has it open", path)
	}
	return nil // the change itself has the reason
}
