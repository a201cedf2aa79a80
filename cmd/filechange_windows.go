package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// readOnly are the flags to open a file for reading.
const readOnly = os.O_RDONLY

// removeFile removes a file of a folder, by its path: Wine 8 does not know the request by which Go
// deletes relative to an open folder (FileDispositionInfoEx).
func removeFile(folder *os.Root, name string) error { return os.Remove(pathIn(folder, name)) }

// removeFolder removes an empty folder in another one, and no file.
func removeFolder(above *os.Root, name string) error { return syscall.Rmdir(pathIn(above, name)) }

// isGone reports whether another run has just removed a folder, or is about to.
func isGone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, windows.ERROR_SHARING_VIOLATION)
}

// cannotReplace returns the error for a file that cannot be replaced. If another program has the
// file open without FILE_SHARE_DELETE, as editors and viewers do, MoveFileEx reports only "access
// denied". Opening the file for deletion shows whether that is the reason.
func cannotReplace(path string, err error) error {
	name, nameErr := windows.UTF16PtrFromString(path)
	if nameErr != nil {
		return nameErr
	}
	const shareAll = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	handle, openErr := windows.CreateFile(name, windows.DELETE, shareAll, nil, windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if openErr == nil {
		_ = windows.CloseHandle(handle)
	}
	if errors.Is(openErr, windows.ERROR_SHARING_VIOLATION) {
		return fmt.Errorf("%s cannot be replaced: another program has it open", path)
	}
	return fmt.Errorf("%s cannot be replaced: %w", path, systemError(err))
}
