package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
)

// A placing puts one file in place, or takes one away.
type placing struct {
	name    string
	content []byte
	away    bool // take the file away: there is no content
	// fresh is the temporary file with the content. In old waits what stood there until the
	// whole set is in place. "" where there is none.
	fresh, old string
	placed     bool
}

// place puts the files of a set in place, all or none, the last one last; its folders are there.
// Before anything changes, the whole set is on the disk in temporary files beside the names, so
// that a disk that fills up leaves the old set as it was. Where a name cannot be
// taken after all, those that were come back.
func place(set []*placing) (err error) {
	defer func() {
		if err != nil {
			undo(set)
		}
	}()
	// What the last replaces need not come back, and is never away, not for a moment.
	last := len(set) - 1
	for i, p := range set {
		if err := p.prepare(i < last); err != nil {
			return err
		}
	}
	for _, p := range set {
		if err := p.place(); err != nil {
			return err
		}
	}
	for _, p := range set {
		if p.old != "" {
			_ = os.Remove(p.old)
		}
	}
	return nil
}

// prepare does what may fail for want of space; keep is for what may have to come back.
func (p *placing) prepare(keep bool) error {
	there, err := os.Lstat(p.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("%s: %w", p.name, cause(err))
	case there.IsDir():
		return fmt.Errorf("%s is a folder; move it away", p.name)
	case keep:
		if p.old, err = leave(p.name, nil, 0o600); err != nil {
			return err
		}
	}
	if p.away {
		return nil
	}
	p.fresh, err = leave(p.name, p.content, 0o666)
	if err == nil && there != nil && there.Mode().IsRegular() {
		err = os.Chmod(p.fresh, there.Mode().Perm())
	}
	return err
}

// place takes the name, or takes away what stands there.
func (p *placing) place() error {
	if p.old != "" {
		err := os.Rename(p.name, p.old)
		switch {
		case errors.Is(err, fs.ErrNotExist): // somebody took it away meanwhile
			_ = os.Remove(p.old)
			p.old = ""
		case err != nil:
			return notReplaced(p.name, err)
		default:
			p.placed = true
		}
	}
	if p.away {
		return nil
	}
	if err := os.Rename(p.fresh, p.name); err != nil {
		return notReplaced(p.name, err)
	}
	p.fresh, p.placed = "", true
	return nil
}

// undo gives the names back to what stood there, and removes the temporary files.
func undo(set []*placing) {
	for _, p := range set {
		switch {
		case p.placed && p.old != "":
			_ = os.Rename(p.old, p.name)
		case p.placed:
			_ = os.Remove(p.name)
		case p.old != "":
			_ = os.Remove(p.old)
		}
		if p.fresh != "" {
			_ = os.Remove(p.fresh)
		}
	}
}

// leave writes a new file beside the named one and returns its name. Errors name the one that
// it is for.
func leave(beside string, content []byte, mode fs.FileMode) (name string, err error) {
	file, err := create(filepath.Dir(beside), mode)
	if err != nil {
		return "", fmt.Errorf("%s cannot be written: %w", beside, cause(err))
	}
	_, err = file.Write(content)
	if err == nil && content != nil {
		err = file.Sync() // some file systems find only now that there is no room
	}
	if err := errors.Join(err, file.Close()); err != nil {
		_ = os.Remove(file.Name())
		return "", fmt.Errorf("%s cannot be written: %w", beside, cause(err))
	}
	return file.Name(), nil
}

// create makes a file of a name that no other has. os.CreateTemp does not heed the umask.
func create(folder string, mode fs.FileMode) (*os.File, error) {
	for {
		name := filepath.Join(folder, ".timebench-"+strconv.FormatUint(rand.Uint64(), 36))
		file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) {
			return file, err
		}
	}
}

// cause returns the system's own word for an error that names paths already.
func cause(err error) error {
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
