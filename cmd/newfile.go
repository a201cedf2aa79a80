package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/timebench/timebench/internal/system/debuglog"
)

// A newFile is a file of a folder with its new content. Names are relative to the folder, with
// forward slashes. Another user may own the folder and swap a name at any moment, so a file is
// changed by its descriptor, and a name is only created, renamed or removed.
type newFile struct {
	name      string
	content   []byte
	temporary string // the file with the new content until it has its name; "" if there is none
}

// replaceAll puts the files into the folder, the last one last, and then removes the stale ones. The folders exist.
// It writes the whole set into temporary files before it changes any name, so a full disk leaves the old set.
func replaceAll(folder *os.Root, set []*newFile, stale []string) error {
	defer removeUnnamed(folder, set)
	for _, name := range stale {
		if err := checkReplaceable(pathIn(folder, name)); err != nil {
			return err
		}
	}
	for _, f := range set {
		if err := f.prepare(folder); err != nil {
			return err
		}
	}
	if err := nameAll(folder, set); err != nil {
		return err
	}
	for _, name := range stale {
		if err := removeFile(folder, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return cannotReplace(pathIn(folder, name), err)
		}
	}
	return nil
}

// nameAll gives the temporary files their names.
func nameAll(folder *os.Root, set []*newFile) error {
	for _, f := range set {
		if err := folder.Rename(f.temporary, f.name); err != nil {
			return cannotReplace(pathIn(folder, f.name), err)
		}
		f.temporary = ""
	}
	return nil
}

// removeUnnamed removes the temporary files that have no name yet.
func removeUnnamed(folder *os.Root, set []*newFile) {
	for _, f := range set {
		if f.temporary != "" {
			_ = removeFile(folder, f.temporary)
			f.temporary = ""
		}
	}
}

// prepare does everything that needs space on the disk, and finds what can be known to forbid the change.
func (f *newFile) prepare(folder *os.Root) error {
	old, err := folder.Lstat(f.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return cannotReplace(pathIn(folder, f.name), err)
	case old.IsDir():
		return fmt.Errorf("%s is a folder; move it away", pathIn(folder, f.name))
	default:
		if err := checkReplaceable(pathIn(folder, f.name)); err != nil {
			return err
		}
	}
	mode, keep := fs.FileMode(0o666), old != nil && old.Mode().IsRegular()
	if keep {
		mode = old.Mode().Perm()
	}
	f.temporary, err = writeTemporary(folder, f.name, f.content, mode, keep)
	return err
}

// writeTemporary writes a temporary file beside a file and returns its name. Its mode is without
// the bits of the umask, unless it is exact. Errors name the file that it is for.
func writeTemporary(folder *os.Root, name string, content []byte, mode fs.FileMode, exact bool) (string, error) {
	temporary, file, err := createTemporary(folder, path.Dir(name), mode)
	if err != nil {
		return "", fmt.Errorf("%s cannot be written: %w", pathIn(folder, name), systemError(err))
	}
	if exact {
		err = file.Chmod(mode) // before anyone could read the content
	}
	if err == nil {
		_, err = file.Write(content)
	}
	if err == nil {
		err = file.Sync() // only now do some file systems report a full disk
	}
	if err := errors.Join(err, file.Close()); err != nil {
		_ = removeFile(folder, temporary)
		return "", fmt.Errorf("%s cannot be written: %w", pathIn(folder, name), systemError(err))
	}
	return temporary, nil
}

// temporaryPrefix begins the names of temporary files.
const temporaryPrefix = ".timebench-"

// temporaryName returns the name of a temporary file that was made at a time, in Unix seconds.
func temporaryName(made int64, random uint64) string {
	return temporaryPrefix + strconv.FormatInt(made, 10) + "-" + strconv.FormatUint(random, 36)
}

// createTemporary creates a file with a new name and this mode. It follows no link, by O_EXCL.
func createTemporary(folder *os.Root, below string, mode fs.FileMode) (string, *os.File, error) {
	for {
		name := path.Join(below, temporaryName(time.Now().Unix(), rand.Uint64()))
		file, err := folder.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) {
			return name, file, err
		}
	}
}

// maxEntries is how many entries of a folder removeTemporaries looks at. Another user may own it
// and fill it.
const maxEntries = 1 << 14

// removeTemporaries removes the temporary files of runs that were killed. Younger ones stay: the
// lock of the folder does not keep out the runs of other machines and sessions.
func removeTemporaries(folder *os.Root, below string) {
	opened, err := folder.Open(below + "/.") // not a pipe
	if err != nil {
		return
	}
	defer func() { _ = opened.Close() }()
	entries, _ := opened.ReadDir(maxEntries)
	for _, entry := range entries {
		isFile := entry.Type().IsRegular() || entry.Type() == fs.ModeSymlink
		if isFile && isStale(entry.Name()) {
			debuglog.Printf("out", "removing %s, which a killed run left", pathIn(folder, path.Join(below, entry.Name())))
			_ = removeFile(folder, path.Join(below, entry.Name()))
		}
	}
}

// staleAge is how old a temporary file is that no run needs. A write takes seconds.
const staleAge = time.Hour

// isStale reports whether a name is that of an old temporary file.
func isStale(name string) bool {
	made, random, _ := strings.Cut(strings.TrimPrefix(name, temporaryPrefix), "-")
	seconds, notTime := strconv.ParseInt(made, 10, 64)
	number, notNumber := strconv.ParseUint(random, 36, 64)
	return notTime == nil && notNumber == nil && name == temporaryName(seconds, number) &&
		seconds < time.Now().Add(-staleAge).Unix()
}

// pathIn returns the path of a file for an error.
func pathIn(folder *os.Root, name string) string {
	return filepath.Join(folder.Name(), filepath.FromSlash(name))
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
