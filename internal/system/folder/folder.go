// Package folder opens a folder, and replaces files in it, the document last. Another user may own the folder and
// swap a name at any moment, so a file is changed by its descriptor, and a name is only created, renamed or removed.
package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A Failure is a refusal by the system, although the name may be right.
type Failure struct{ error }

func (f *Failure) Unwrap() error { return f.error }

// Refused returns an error of the system as a Failure.
func Refused(err error) error { return &Failure{err} }

func failed(path, what string, err error) error {
	return Refused(fmt.Errorf("the folder %s cannot be %s: %w", filepath.Clean(path), what, SystemError(err)))
}

// SystemError returns the error of the system without the paths that the os package adds.
func SystemError(err error) error {
	var onPath *fs.PathError
	var rename *os.LinkError
	switch {
	case errors.As(err, &onPath):
		return onPath.Err
	case errors.As(err, &rename):
		return rename.Err
	}
	return err
}

// Path returns the path of a file of a folder for an error. The name has forward slashes.
func Path(folder *os.Root, name string) string {
	return filepath.Join(folder.Name(), filepath.FromSlash(name))
}

// Open opens a folder by its path. With a separator at its end, a pipe does not block.
func Open(path string) (*os.Root, error) {
	folder, err := os.OpenRoot(filepath.Clean(path) + string(filepath.Separator))
	if err == nil {
		return folder, nil
	}
	return nil, cannotOpen(path, err)
}

// cannotOpen returns the error for a folder that cannot be opened. Without the right to read it, no
// portable call opens a folder, although files could be made in it.
func cannotOpen(path string, err error) error {
	info, missing := os.Stat(path)
	if missing == nil && !info.IsDir() {
		return fmt.Errorf("%s is a file; name a folder", path)
	}
	if destination, notLink := os.Readlink(path); notLink == nil && missing != nil {
		return fmt.Errorf("%s is a symbolic link to %s, which does not exist; make that folder or name another one",
			path, destination)
	}
	err = failed(path, "opened", err)
	if errors.Is(err, fs.ErrPermission) {
		return Refused(fmt.Errorf("%w; the folder must be readable", err))
	}
	return err
}

// Make makes a folder in another one if it does not exist, and opens it: see [Enter].
func Make(above *os.Root, name string) (*os.Root, error) {
	if err := above.Mkdir(name, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, failed(Path(above, name), "made", err)
	}
	return Enter(above, name)
}

// Enter opens a folder in another one. It follows no link that leads out of that folder.
func Enter(above *os.Root, name string) (*os.Root, error) {
	folder, err := above.OpenRoot(name + "/.") // with the dot, a pipe does not block
	if err == nil || errors.Is(err, fs.ErrNotExist) && !exists(above, name) {
		return folder, err
	}
	path := Path(above, name)
	if destination, notLink := above.Readlink(name); notLink == nil && isFolder(path) {
		return nil, fmt.Errorf("%s is a symbolic link to %s, out of its folder; make a folder of it", path, destination)
	}
	return nil, cannotOpen(path, err)
}

func exists(folder *os.Root, name string) bool { _, err := folder.Lstat(name); return err == nil }

func isFolder(path string) bool { info, err := os.Stat(path); return err == nil && info.IsDir() }

// ErrNotRegular is the error of OpenRegular for a folder, a link, a pipe or a device.
var ErrNotRegular = errors.New("is not a regular file")

// OpenRegular opens a regular file of a folder for reading.
func OpenRegular(folder *os.Root, name string) (*os.File, error) {
	info, err := folder.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		return nil, ErrNotRegular
	}
	var file *os.File
	if err == nil {
		file, err = folder.OpenFile(name, readOnly, 0)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", Path(folder, name), SystemError(err))
	}
	// Another user may have replaced it since.
	if info, err = file.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = file.Close()
		return nil, errors.Join(err, ErrNotRegular)
	}
	return file, nil
}
