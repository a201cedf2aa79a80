package folder

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
)

// A File is a file of a folder with its new content. Its name is relative to the folder, with forward slashes.
type File struct {
	Name    string
	Content []byte
}

// An update replaces files of a folder. The new ones have temporary names until all are written.
type update struct {
	folder    *os.Root
	temporary []string // of the files of the set, in its order
}

// temporaryPrefix begins the temporary names. A process that is killed meanwhile leaves them.
const temporaryPrefix = ".timebench-tmp-"

// CheckWritable returns an error if no file can be made in a folder. below is the name of a folder that will be made in
// it; "" without one.
func CheckWritable(folder *os.Root, below string) error {
	temporary := temporaryPrefix + rand.Text()
	file, err := folder.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case err != nil && below != "":
		return failed(Path(folder, below), "made", err)
	case err != nil:
		return failed(folder.Name(), "written", err)
	}
	return errors.Join(file.Close(), removeFile(folder, temporary))
}

// end removes the temporary files that have not become files of the set.
func (u *update) end() {
	for _, name := range u.temporary {
		_ = removeFile(u.folder, name)
	}
}

// Replace puts the files into the folder, the last one last, and then removes the stale ones. The folders exist.
// It writes the whole set before it changes any name, so a full disk leaves the old set. Two calls at once can leave
// files of both.
func Replace(folder *os.Root, set []File, stale []string) error {
	u := update{folder: folder}
	defer u.end()
	for _, name := range stale {
		if err := checkReplaceable(Path(folder, name)); err != nil {
			return err
		}
	}
	for _, f := range set {
		if err := u.prepare(f); err != nil {
			return err
		}
	}
	if err := u.nameAll(set); err != nil {
		return err
	}
	for _, name := range stale {
		if err := removeFile(folder, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return cannotReplace(Path(folder, name), err)
		}
	}
	return nil
}

func (u *update) nameAll(set []File) error {
	for i, f := range set {
		if err := u.folder.Rename(u.temporary[i], f.Name); err != nil {
			return cannotReplace(Path(u.folder, f.Name), err)
		}
	}
	return nil
}

// prepare does everything that needs space on the disk, and finds foreseeable obstacles to the change. A file keeps its
// mode, and a new one has the usual one.
func (u *update) prepare(f File) error {
	full, mode, exact := Path(u.folder, f.Name), fs.FileMode(0o666), false
	old, err := u.folder.Lstat(f.Name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := u.folder.Stat(path.Dir(f.Name)); err != nil {
			return fmt.Errorf("%s cannot be written: %w", full, SystemError(err))
		}
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
	temporary := temporaryPrefix + rand.Text()
	file, err := u.folder.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode) // never follows a link
	if err == nil {
		u.temporary = append(u.temporary, temporary)
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
