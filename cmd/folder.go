package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// openFolder opens a folder by its path. With a separator at its end, a pipe or another file is an
// error and does not block.
func openFolder(path string) (*os.Root, error) {
	return os.OpenRoot(filepath.Clean(path) + string(filepath.Separator))
}

// cannotOpen returns the error for a folder that cannot be opened. Without the right to read it, no
// portable call opens a folder, although files could be made in it.
func cannotOpen(path string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return couldNot(fmt.Errorf("the folder %s cannot be opened: %w; the folder must be readable", path, systemError(err)))
	}
	return couldNot(fmt.Errorf("the folder %s cannot be opened: %w", path, systemError(err)))
}

// errNotRegular is the error of openRegular for a folder, a link, a pipe or a device.
var errNotRegular = errors.New("is not a regular file")

// openRegular opens a regular file of a folder for reading.
func openRegular(folder *os.Root, name string) (*os.File, error) {
	info, err := folder.Lstat(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", pathIn(folder, name), systemError(err))
	}
	if !info.Mode().IsRegular() {
		return nil, errNotRegular
	}
	file, err := folder.OpenFile(name, readOnly, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", pathIn(folder, name), systemError(err))
	}
	// Another user may have replaced it since.
	if info, err = file.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = file.Close()
		return nil, errors.Join(err, errNotRegular)
	}
	return file, nil
}
