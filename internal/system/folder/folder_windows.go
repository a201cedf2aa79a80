package folder

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// readOnly are the flags to open a file for reading.
const readOnly = os.O_RDONLY

// removeFile removes a file of a folder, by its path: Wine 8 does not know the request by which Go
// deletes relative to an open folder (FileDispositionInfoEx).
func removeFile(folder *os.Root, name string) error { return os.Remove(Path(folder, name)) }

// checkReplaceable returns an error if another program has the file open without FILE_SHARE_DELETE, as
// editors and viewers do. MoveFileEx would report only "access denied", so it opens the file for deletion.
func checkReplaceable(path string) error {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return err
	}
	const shareAll = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	handle, err := windows.CreateFile(name, windows.DELETE, shareAll, nil, windows.OPEN_EXISTING,
		windows.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if err == nil {
		return windows.CloseHandle(handle)
	}
	if errors.Is(err, windows.ERROR_SHARING_VIOLATION) {
		return fmt.Errorf("%s cannot be replaced: another program has it open", path)
	}
	return nil // the change itself has the reason
}
