package cmd

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A file is one of the files that --out writes.
type file struct {
	name  string // relative, with forward slashes
	write func(io.Writer) error
}

// A target is the folder or the zip of --out. Its folders are made and checked before anything is
// measured, so that a long run does not end in a refusal. A nil target writes nothing.
type target struct {
	path string
	set  fileSet
	// isFolder is true if the name ends in a slash.
	isFolder bool
	made     []string // the folders that this run made, the outermost first
	// changing is held during a change on the disk.
	changing sync.Mutex
}

// newTarget returns the target with this name, and nil for an empty name. It makes no folder.
func newTarget(path string, set fileSet) *target {
	if path == "" {
		return nil
	}
	// filepath.Dir("report/") is "report".
	return &target{path: filepath.Clean(path), set: set, isFolder: os.IsPathSeparator(path[len(path)-1])}
}

// open makes the target's folders and checks that they are writable. It returns an error if the
// target has a set that must not be replaced.
func (t *target) open() error {
	if t == nil {
		return nil
	}
	t.changing.Lock()
	defer t.changing.Unlock()
	if err := t.prepare(); err != nil {
		t.removeMade()
		return fmt.Errorf("--out: %w", err)
	}
	return nil
}

// fileExtensions are those of single files and of archives that --out does not write.
var fileExtensions = []string{
	".html", ".htm", ".md", ".markdown", ".json", ".csv", ".txt", ".png", ".svg", ".pdf",
	".tar", ".gz", ".tgz", ".bz2", ".xz", ".zst", ".7z", ".rar",
}

// withoutExtensions returns a path without fileExtensions at its end.
func withoutExtensions(path string) string {
	extension := filepath.Ext(path)
	if !slices.Contains(fileExtensions, strings.ToLower(extension)) {
		return path
	}
	return withoutExtensions(strings.TrimSuffix(path, extension))
}

func (t *target) prepare() error {
	if name := withoutExtensions(t.path); name != t.path && !t.isFolder {
		return fmt.Errorf("%s is the name of one file, and there are several; write %s for a folder or %s.zip", t.path, name, name)
	}
	if info, err := os.Stat(t.path); t.isZip() && err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder; a name that ends in .zip must be a file", t.path)
	}
	if _, err := t.replaced(); err != nil {
		return err
	}
	folders := []string{t.path, filepath.Join(t.path, "charts")}
	if t.isZip() {
		folders = []string{filepath.Dir(t.path)}
	}
	for _, folder := range folders {
		if err := t.makeWritable(folder); err != nil {
			return err
		}
	}
	return nil
}

func (t *target) isZip() bool { return strings.EqualFold(filepath.Ext(t.path), ".zip") }

// makeWritable makes a folder and checks that it is writable.
func (t *target) makeWritable(folder string) error {
	return retryIfGone(func() error {
		if err := t.makeFolder(folder); err != nil {
			return err
		}
		probe, err := createTemporary(folder, 0o600)
		if err != nil {
			return couldNot(fmt.Errorf("the folder %s cannot be written: %w", folder, systemError(err)))
		}
		_ = probe.Close()
		return os.Remove(probe.Name())
	})
}

// retryIfGone repeats do while something does not exist: another run may end now and remove the
// folders that it made. The pauses grow, so that any number of runs can avoid each other. After
// half a second it gives up.
func retryIfGone(do func() error) error {
	for pause := 100 * time.Microsecond; ; pause *= 2 {
		err := do()
		if !errors.Is(err, fs.ErrNotExist) || pause > 300*time.Millisecond {
			return err
		}
		time.Sleep(pause)
	}
}

// makeFolder makes a folder and those above it, and records which it made.
func (t *target) makeFolder(path string) error {
	info, err := os.Stat(path)
	if err == nil {
		if !info.IsDir() {
			return fmt.Errorf("%s is a file; name a folder", path)
		}
		return nil
	}
	if destination, err := os.Readlink(path); err == nil {
		return fmt.Errorf("%s is a symbolic link to %s, which does not exist; make that folder or name another one", path, destination)
	}
	if parent := filepath.Dir(path); parent != path {
		if err := t.makeFolder(parent); err != nil {
			return err
		}
	}
	err = os.Mkdir(path, 0o755)
	if errors.Is(err, fs.ErrExist) {
		// Another run has just made it, so this run must not remove it.
		if info, err = os.Stat(path); err == nil && info.IsDir() {
			return nil
		}
	}
	if err != nil {
		return couldNot(fmt.Errorf("the folder %s cannot be made: %w", path, systemError(err)))
	}
	t.made = append(t.made, path)
	return nil
}

// removeMade removes the folders that this run made and that are empty.
func (t *target) removeMade() {
	for i := len(t.made) - 1; i >= 0; i-- {
		_ = syscall.Rmdir(t.made[i]) // os.Remove would also remove a file of that name
	}
}

// abandon removes the empty folders of a run that writes nothing.
func (t *target) abandon() {
	if t == nil {
		return
	}
	t.changing.Lock()
	defer t.changing.Unlock()
	t.removeMade()
}

// abandonAtExit is abandon for a process that exits now, while another goroutine may write. It
// waits for a write that has begun, and blocks every later one.
func (t *target) abandonAtExit() {
	if t == nil {
		return
	}
	t.changing.Lock() // never unlocked
	t.removeMade()
}

// write writes all files or none. If a file cannot be rendered, nothing changes on the disk. After
// an error the target is abandoned.
func (t *target) write(files []file) error {
	if t == nil {
		return nil
	}
	changes, err := rendered(files)
	t.changing.Lock()
	defer t.changing.Unlock()
	if err == nil {
		err = retryIfGone(func() error { return t.replace(changes) })
	}
	t.removeMade() // the folder of the pictures if there are none; all of them after an error
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return nil
}

// rendered returns the files with their content. The names are still relative.
func rendered(files []file) ([]*fileChange, error) {
	var changes []*fileChange
	for _, f := range files {
		var content bytes.Buffer
		if err := f.write(&content); err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		changes = append(changes, &fileChange{name: f.name, content: content.Bytes()})
	}
	return changes, nil
}

// lockTimeout is how long a run waits for another one that writes into the same folder. That takes
// milliseconds.
const lockTimeout = 10 * time.Second

// replace replaces the set of the target with a new one.
func (t *target) replace(set []*fileChange) error {
	folder := t.path
	if t.isZip() {
		folder = filepath.Dir(t.path)
	}
	if err := t.makeFolder(folder); err != nil {
		return err
	}
	defer lockFolder(folder)()
	// Another command may have written here since open.
	pictures, err := t.replaced()
	if err != nil {
		return err
	}
	if t.isZip() {
		zipped, err := t.zipped(set)
		if err != nil {
			return err
		}
		return applyAll([]*fileChange{{name: t.path, content: zipped}})
	}
	var changes []*fileChange
	for _, c := range append(removals(pictures, set), set...) {
		name := filepath.Join(t.path, filepath.FromSlash(c.name))
		if err := t.makeFolder(filepath.Dir(name)); err != nil {
			return err
		}
		changes = append(changes, &fileChange{name: name, content: c.content, remove: c.remove})
	}
	return applyAll(changes)
}

// removals returns changes that remove the pictures of the old set that the new one does not have.
func removals(pictures []string, set []*fileChange) []*fileChange {
	var changes []*fileChange
	for _, picture := range pictures {
		if !slices.ContainsFunc(set, func(c *fileChange) bool { return c.name == picture }) {
			changes = append(changes, &fileChange{name: picture, remove: true})
		}
	}
	return changes
}

// zipped returns a zip of the files in a folder with the name of the zip.
func (t *target) zipped(set []*fileChange) ([]byte, error) {
	var content bytes.Buffer
	folder := strings.TrimSuffix(filepath.Base(t.path), filepath.Ext(t.path))
	writer := zip.NewWriter(&content)
	for _, c := range set {
		entry, err := writer.CreateHeader(&zip.FileHeader{Name: path.Join(folder, c.name), Method: zip.Deflate, Modified: time.Now()})
		if err != nil {
			return nil, err
		}
		if _, err := entry.Write(c.content); err != nil {
			return nil, err
		}
	}
	err := writer.Close()
	return content.Bytes(), err
}
