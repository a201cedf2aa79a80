package cmd

import (
	"errors"
	"fmt"

	"golang.org/x/sys/windows"
)

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
