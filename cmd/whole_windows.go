package cmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// writeWhole writes a file whole or not at all: into a new one beside it, which
// then takes its name. os.Rename replaces an existing file here (MoveFileEx with
// MOVEFILE_REPLACE_EXISTING); renameio does not support Windows.
func writeWhole(path string, content []byte) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), ".timebench-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	if _, err = file.Write(content); err != nil {
		_ = file.Close()
		return err
	}
	if err = file.Close(); err != nil {
		return err
	}
	if err = os.Rename(file.Name(), path); err != nil {
		return notReplaced(path, err)
	}
	return nil
}

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
	var rename *os.LinkError
	if errors.As(err, &rename) {
		err = rename.Err
	}
	return fmt.Errorf("%s cannot be replaced: %w", path, err)
}
