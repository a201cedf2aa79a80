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

// A fileChange writes or removes one file.
type fileChange struct {
	name    string
	content []byte
	remove  bool // remove the file; there is no content
	// temporary is the file with the new content, and backup the one that keeps the old content
	// until the whole set is in place; "" if there is none.
	temporary, backup string
	applied           bool
}

// applyAll makes all changes or none, the last one last. The folders exist. It writes the whole set
// into temporary files before it changes any name, so a full disk leaves the old set. If a name
// cannot be replaced after that, the names before it get their old files back.
func applyAll(changes []*fileChange) (err error) {
	defer func() {
		if err != nil {
			undo(changes)
		}
	}()
	// The last file needs no backup, because nothing can fail after it. So its name always exists.
	last := len(changes) - 1
	for i, c := range changes {
		if err := c.prepare(i < last); err != nil {
			return err
		}
	}
	for _, c := range changes {
		if err := c.apply(); err != nil {
			return err
		}
	}
	for _, c := range changes {
		if c.backup != "" {
			_ = os.Remove(c.backup)
		}
	}
	return nil
}

// prepare does everything that needs space on the disk. backup asks for a backup of the old file.
func (c *fileChange) prepare(backup bool) error {
	old, err := os.Lstat(c.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("%s: %w", c.name, systemError(err))
	case old.IsDir():
		return fmt.Errorf("%s is a folder; move it away", c.name)
	case backup:
		if c.backup, err = writeTemporary(c.name, nil, 0o600); err != nil {
			return err
		}
	}
	if c.remove {
		return nil
	}
	c.temporary, err = writeTemporary(c.name, c.content, 0o666)
	if err == nil && old != nil && old.Mode().IsRegular() {
		err = os.Chmod(c.temporary, old.Mode().Perm())
	}
	return err
}

// apply replaces or removes the file.
func (c *fileChange) apply() error {
	if c.backup != "" {
		err := os.Rename(c.name, c.backup)
		switch {
		case errors.Is(err, fs.ErrNotExist): // someone removed it after prepare
			_ = os.Remove(c.backup)
			c.backup = ""
		case err != nil:
			return cannotReplace(c.name, err)
		default:
			c.applied = true
		}
	}
	if c.remove {
		return nil
	}
	if err := os.Rename(c.temporary, c.name); err != nil {
		return cannotReplace(c.name, err)
	}
	c.temporary, c.applied = "", true
	return nil
}

// undo restores the old files, and removes the temporary ones.
func undo(changes []*fileChange) {
	for _, c := range changes {
		switch {
		case c.applied && c.backup != "":
			_ = os.Rename(c.backup, c.name)
		case c.applied:
			_ = os.Remove(c.name)
		case c.backup != "":
			_ = os.Remove(c.backup)
		}
		if c.temporary != "" {
			_ = os.Remove(c.temporary)
		}
	}
}

// writeTemporary writes a temporary file into the folder of a file and returns its name. Errors
// name the file that it is for.
func writeTemporary(file string, content []byte, mode fs.FileMode) (name string, err error) {
	temporary, err := createTemporary(filepath.Dir(file), mode)
	if err != nil {
		return "", fmt.Errorf("%s cannot be written: %w", file, systemError(err))
	}
	_, err = temporary.Write(content)
	if err == nil && content != nil {
		err = temporary.Sync() // only now do some file systems report a full disk
	}
	if err := errors.Join(err, temporary.Close()); err != nil {
		_ = os.Remove(temporary.Name())
		return "", fmt.Errorf("%s cannot be written: %w", file, systemError(err))
	}
	return temporary.Name(), nil
}

// createTemporary creates a file with a new name and this mode. os.CreateTemp always uses 0600.
func createTemporary(folder string, mode fs.FileMode) (*os.File, error) {
	for {
		name := filepath.Join(folder, ".timebench-"+strconv.FormatUint(rand.Uint64(), 36))
		file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) {
			return file, err
		}
	}
}

// systemError returns the error of the system without the paths that the os package adds.
func systemError(err error) error {
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
