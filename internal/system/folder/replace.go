package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"time"
)

// A File is a file of a folder with its new content. Its name is relative to the folder, with forward slashes.
type File struct {
	Name    string
	Content []byte
}

// An Update replaces files of a folder. The new ones are in a folder beside them until all are written. It is locked: a second
// update of that name waits, and one whose process was killed is unlocked, so the next one removes what is left of it.
type Update struct {
	folder, work *os.Root
	name         string // of work in the folder
	unlock       func()
}

// Begin begins an update of a file, or of a set of files by the name of one of them. It returns an error if no file can be
// made in the folder.
func Begin(folder *os.Root, name string) (*Update, error) {
	const patience, pause = time.Minute, 10 * time.Millisecond
	u := &Update{folder: folder, name: ".timebench-" + name}
	for began := time.Now(); ; time.Sleep(pause) {
		locked, err := u.enter()
		if locked || err != nil {
			return u, err
		}
		if time.Since(began) > patience {
			return nil, Refused(fmt.Errorf("%s cannot be written: another timebench is writing it, and holds %s", Path(folder, name), u.name))
		}
	}
}

// CheckWritable returns the error of [Begin], and removes what an update that was killed left.
func CheckWritable(folder *os.Root, name string) error {
	u, err := Begin(folder, name)
	if err == nil {
		u.End()
	}
	return err
}

// enter reports whether the work folder is locked now. Another update may lock or remove it at any moment.
func (u *Update) enter() (locked bool, err error) {
	if err := u.folder.Mkdir(u.name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return false, failed(u.folder.Name(), "written", err)
	}
	u.work, err = u.folder.OpenRoot(u.name + "/.")
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, cannotOpen(Path(u.folder, u.name), err)
	}
	if u.unlock, locked = lock(u.work); locked {
		opened, err := u.work.Stat(".")
		named, missing := u.folder.Stat(u.name)
		if err == nil && missing == nil && os.SameFile(opened, named) {
			return true, nil
		}
		u.unlock()
	}
	return false, u.work.Close()
}

// End removes the work folder, with what is left in it.
func (u *Update) End() {
	if in, err := u.work.Open("."); err == nil {
		names, _ := in.Readdirnames(0)
		_ = in.Close()
		for _, name := range names {
			_ = removeFile(u.work, name)
		}
	}
	u.leave()
}

// Replace puts the files into the folder, the last one last, and then removes the stale ones. The folders exist.
// It writes the whole set before it changes any name, so a full disk leaves the old set.
func (u *Update) Replace(set []File, stale []string) error {
	for _, name := range stale {
		if err := checkReplaceable(Path(u.folder, name)); err != nil {
			return err
		}
	}
	for i := range set {
		if err := u.prepare(i, set[i]); err != nil {
			return err
		}
	}
	if err := u.nameAll(set); err != nil {
		return err
	}
	for _, name := range stale {
		if err := removeFile(u.folder, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return cannotReplace(Path(u.folder, name), err)
		}
	}
	return nil
}

// temporary returns the name in the work folder of a file of the set, by its number.
func temporary(i int) string { return strconv.Itoa(i) }

func (u *Update) nameAll(set []File) error {
	for i, f := range set {
		if err := u.folder.Rename(path.Join(u.name, temporary(i)), f.Name); err != nil {
			return cannotReplace(Path(u.folder, f.Name), err)
		}
	}
	return nil
}

// prepare does everything that needs space on the disk, and finds what can be known to forbid the change. A file
// keeps its mode, and a new one has the usual one.
func (u *Update) prepare(i int, f File) error {
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
	_ = removeFile(u.work, temporary(i)) // of an update that was killed
	file, err := u.work.OpenFile(temporary(i), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err == nil {
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
