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
	made     []madeFolder // the outermost first
	// changing is held during a change on the disk.
	changing sync.Mutex
}

// A madeFolder is a folder that this run made. It is removed by the folder above it, which is open:
// another user may have put another folder at its path since.
type madeFolder struct {
	above *os.Root
	name  string
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
	return retryIfGone(func() error {
		folder, err := t.openFolder(t.folder())
		if err != nil {
			return err
		}
		defer func() { _ = folder.Close() }()
		if _, err := t.replaced(folder); err != nil {
			return err
		}
		if err := checkWritable(folder, "."); err != nil || t.isZip() {
			return err
		}
		if err := t.makeFolder(folder, charts); err != nil {
			return err
		}
		return checkWritable(folder, charts)
	})
}

// charts is the folder of the pictures in the target.
const charts = "charts"

// folder returns the path of the folder that the target's files are written into.
func (t *target) folder() string {
	if t.isZip() {
		return filepath.Dir(t.path)
	}
	return t.path
}

func (t *target) isZip() bool { return strings.EqualFold(filepath.Ext(t.path), ".zip") }

// checkWritable returns an error if no file can be made in a folder.
func checkWritable(folder *os.Root, below string) error {
	name, probe, err := createTemporary(folder, below, 0o600)
	if err != nil {
		return couldNot(fmt.Errorf("the folder %s cannot be written: %w", pathIn(folder, below), systemError(err)))
	}
	_ = probe.Close()
	// Another run that writes may have removed it.
	if err := removeFile(folder, name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// retryIfGone repeats do while something does not exist: another run may end now and remove the
// folders that it made. The pauses grow, so that any number of runs can avoid each other. After
// half a second it gives up.
func retryIfGone(do func() error) error {
	for pause := 100 * time.Microsecond; ; pause *= 2 {
		err := do()
		if !isGone(err) || pause > 300*time.Millisecond {
			return err
		}
		time.Sleep(pause)
	}
}

// openFolder opens a folder. It makes the folder and those above it if they do not exist, and
// records which it made.
func (t *target) openFolder(path string) (*os.Root, error) {
	folder, err := openFolder(path)
	if err == nil {
		return folder, nil
	}
	info, missing := os.Stat(path)
	parent := filepath.Dir(path)
	switch {
	case missing == nil && !info.IsDir():
		return nil, fmt.Errorf("%s is a file; name a folder", path)
	case missing == nil || parent == path:
		return nil, cannotOpen(path, err)
	}
	above, err := t.openFolder(parent)
	if err != nil {
		return nil, err
	}
	defer func() { _ = above.Close() }()
	if err := t.makeFolder(above, filepath.Base(path)); err != nil {
		return nil, err
	}
	return openBelow(above, filepath.Base(path))
}

// makeFolder makes a folder in another one if it does not exist, and records it.
func (t *target) makeFolder(above *os.Root, name string) error {
	path := pathIn(above, name)
	err := above.Mkdir(name, 0o755)
	if errors.Is(err, fs.ErrExist) {
		folder, err := openBelow(above, name)
		if err != nil {
			return err
		}
		return folder.Close()
	}
	if err != nil {
		return couldNot(fmt.Errorf("the folder %s cannot be made: %w", path, systemError(err)))
	}
	// It is closed by removeMade, and the caller closes above.
	open, err := above.OpenRoot(".")
	if err != nil {
		_ = removeFolder(above, name)
		return cannotOpen(filepath.Dir(path), err)
	}
	t.made = append(t.made, madeFolder{open, name})
	return nil
}

// openBelow opens a folder in another one. It follows no link that leads out of that. With the dot at
// its end, a pipe is an error and does not block.
func openBelow(above *os.Root, name string) (*os.Root, error) {
	folder, err := above.OpenRoot(name + "/.")
	if err == nil {
		return folder, nil
	}
	path := pathIn(above, name)
	if destination, err := above.Readlink(name); err == nil {
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("%s is a symbolic link to %s, which does not exist; make that folder or name another one", path, destination)
		}
		return nil, fmt.Errorf("%s is a symbolic link to %s, out of its folder; make a folder of it", path, destination)
	}
	if info, err := above.Lstat(name); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s is a file; name a folder", path)
	}
	return nil, cannotOpen(path, err)
}

// removeMade removes the folders that this run made and that are empty.
func (t *target) removeMade() {
	for _, made := range slices.Backward(t.made) {
		_ = removeFolder(made.above, made.name)
		_ = made.above.Close()
	}
	t.made = nil
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

// write writes the files. If one cannot be rendered, or the disk is full, nothing changes. After an error the target is
// abandoned.
func (t *target) write(files []file) error {
	if t == nil {
		return nil
	}
	set, err := rendered(files)
	t.changing.Lock()
	defer t.changing.Unlock()
	if err == nil {
		err = retryIfGone(func() error { return t.replace(set) })
	}
	t.removeMade() // the folder of the pictures if there are none; all of them after an error
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return nil
}

// rendered returns the files with their content. The names are still relative.
func rendered(files []file) ([]*newFile, error) {
	var set []*newFile
	for _, f := range files {
		var content bytes.Buffer
		if err := f.write(&content); err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		set = append(set, &newFile{name: f.name, content: content.Bytes()})
	}
	return set, nil
}

// lockTimeout is how long a run waits for another one that writes into the same folder. That takes
// milliseconds.
const lockTimeout = 10 * time.Second

// replace replaces the set of the target with a new one.
func (t *target) replace(set []*newFile) error {
	folder, err := t.openFolder(t.folder())
	if err != nil {
		return err
	}
	defer func() { _ = folder.Close() }()
	defer lockFolder(folder)()
	// Another command may have written here since open.
	pictures, err := t.replaced(folder)
	if err != nil {
		return err
	}
	removeTemporaries(folder, ".")
	if t.isZip() {
		zipped, err := t.zipped(set)
		if err != nil {
			return err
		}
		return replaceAll(folder, []*newFile{{name: filepath.Base(t.path), content: zipped}}, nil)
	}
	if err := t.makeFolder(folder, charts); err != nil {
		return err
	}
	removeTemporaries(folder, charts)
	stale := slices.DeleteFunc(pictures, func(picture string) bool {
		return slices.ContainsFunc(set, func(f *newFile) bool { return f.name == picture })
	})
	return replaceAll(folder, set, stale)
}

// zipped returns a zip of the files in a folder with the name of the zip.
func (t *target) zipped(set []*newFile) ([]byte, error) {
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
