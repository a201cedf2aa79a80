package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"strconv"
)

// A File is a file of a folder with its new content. Its name is relative to the folder, with forward slashes.
type File struct {
	Name    string
	Content []byte
	// temporary is the file with the new content until it has its name; "" if there is none.
	temporary string
}

// Replace puts the files into the folder, the last one last, and then removes the stale ones. The folders exist.
// It writes the whole set into temporary files before it changes any name, so a full disk leaves the old set.
func Replace(folder *os.Root, set []File, stale []string) error {
	defer removeUnnamed(folder, set)
	for _, name := range stale {
		if err := checkReplaceable(Path(folder, name)); err != nil {
			return err
		}
	}
	for i := range set {
		if err := set[i].prepare(folder); err != nil {
			return err
		}
	}
	if err := nameAll(folder, set); err != nil {
		return err
	}
	for _, name := range stale {
		if err := removeFile(folder, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return cannotReplace(Path(folder, name), err)
		}
	}
	return nil
}

func nameAll(folder *os.Root, set []File) error {
	for i := range set {
		if err := folder.Rename(set[i].temporary, set[i].Name); err != nil {
			return cannotReplace(Path(folder, set[i].Name), err)
		}
		set[i].temporary = ""
	}
	return nil
}

func removeUnnamed(folder *os.Root, set []File) {
	for _, f := range set {
		if f.temporary != "" {
			_ = removeFile(folder, f.temporary)
		}
	}
}

// prepare does everything that needs space on the disk, and finds what can be known to forbid the change. A file
// keeps its mode, and a new one has the usual one.
func (f *File) prepare(folder *os.Root) error {
	full, mode, exact := Path(folder, f.Name), fs.FileMode(0o666), false
	old, err := folder.Lstat(f.Name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return cannotReplace(full, err)
	case old.IsDir():
		return fmt.Errorf("%s is a folder; move it away", full)
	case old.Mode().IsRegular():
		mode, exact = old.Mode().Perm(), true
		fallthrough
	default:
		if err := checkReplaceable(full); err != nil {
			return err
		}
	}
	temporary, file, err := createTemporary(folder, path.Dir(f.Name), mode)
	if err == nil {
		f.temporary = temporary
		if exact {
			err = file.Chmod(mode) // before anyone could read the content
		}
		if err == nil {
			_, err = file.Write(f.Content)
		}
		if err == nil {
			err = file.Sync() // only now do some file systems report a full disk
		}
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", full, SystemError(err))
	}
	return nil
}

func cannotReplace(path string, err error) error {
	if open := checkReplaceable(path); open != nil {
		return open
	}
	return fmt.Errorf("%s cannot be replaced: %w", path, SystemError(err))
}

// createTemporary creates a file with a new name and this mode. It follows no link, by O_EXCL.
func createTemporary(folder *os.Root, below string, mode fs.FileMode) (string, *os.File, error) {
	for {
		name := path.Join(below, ".timebench-"+strconv.FormatUint(rand.Uint64(), 36))
		file, err := folder.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) {
			return name, file, err
		}
	}
}
