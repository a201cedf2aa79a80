package cmd

import (
	"errors"
	"fmt"

	"golang.org/x/sys/windows"
)

// notReplaced says why a file could not be replaced. MoveFileEx says no more than "access
// denied" where another program has the file open without FILE_SHARE_DELETE, as editors and
// viewers do; asking for the right to delete it tells that from other reasons.
func notReplaced(path string, err error) error {
	name, nameErr := windows.UTF16PtrFromString(path)
	if nameErr != nil {
		return nameErr
	}
	const anything = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	handle, openErr := windows.CreateFile(name, windows.DELETE, anything, nil, windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if openErr == nil {
		_ = windows.CloseHandle(handle)
	}
	if errors.Is(openErr, windows.ERROR_SHARING_VIOLATION) {
		return fmt.Errorf("%s cannot be replaced: another program has it open", path)
	}
	return fmt.Errorf("%s cannot be replaced: %w", path, cause(err))
}
