// Package files writes the files of --out: the pictures, the reports and the document, into a folder or a zip.
package files

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

	"github.com/timebench/timebench/internal/show/words"
	"github.com/timebench/timebench/internal/system/folder"
)

// A File is one of the files that --out writes. Its name is relative, with forward slashes.
type File struct {
	Name  string
	Write func(io.Writer) error
}

// A Target is the folder or the zip of --out. It is checked before anything is measured, so that a long run does not
// end in a refusal. Its folders are made when there are files to write. A nil target writes nothing.
type Target struct {
	path string
	set  Set
	// isFolder is true if the name ends in a slash.
	isFolder bool
	// changing is held during a change on the disk.
	changing sync.Mutex
}

// charts is the folder of the pictures in the target.
const charts = "charts"

func isChart(name string) bool { return path.Dir(name) == charts }

// NewTarget returns the target with this name, and nil for an empty name. It makes no folder.
func NewTarget(path string, set Set) *Target {
	if path == "" {
		return nil
	}
	// filepath.Dir("report/") is "report".
	return &Target{path: filepath.Clean(path), set: set, isFolder: os.IsPathSeparator(path[len(path)-1])}
}

// Check returns an error if the files cannot be written, or if the target has a set that must not be replaced.
func (t *Target) Check() error {
	if t == nil {
		return nil
	}
	err := t.checkName()
	if err == nil {
		err = t.check(t.folder(), "")
	}
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return nil
}

// check checks the folder at a path. If it does not exist, it checks the folder above, in which below will be made.
func (t *Target) check(path, below string) error {
	root, err := folder.Open(path)
	if err != nil {
		_, missing := os.Lstat(path)
		if missing == nil || filepath.Dir(path) == path {
			return err
		}
		if above := t.check(filepath.Dir(path), filepath.Base(path)); above != nil || errors.Is(missing, fs.ErrNotExist) {
			return above
		}
		return err // the system takes no such name
	}
	defer func() { _ = root.Close() }()
	if below != "" {
		return folder.CheckWritable(root, below)
	}
	if _, err := t.replaced(root); err != nil {
		return err
	}
	if err := folder.CheckWritable(root, ""); err != nil || t.isZip() {
		return err
	}
	pictures, err := folder.Enter(root, charts)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = pictures.Close() }()
	return folder.CheckWritable(pictures, "")
}

// fileExtensions are extensions of single files, and of archives that --out does not write.
var fileExtensions = []string{
	".html", ".htm", ".md", ".markdown", ".json", ".csv", ".txt", ".png", ".svg", ".pdf",
	".tar", ".gz", ".tgz", ".bz2", ".xz", ".zst", ".7z", ".rar",
}

// checkName returns an error for the name of a file.
func (t *Target) checkName() error {
	if t.path == "-" && !t.isFolder {
		return errors.New("- is a folder here and not standard output; write --format json for the document there, or -/ for the folder")
	}
	name := t.path
	for slices.Contains(fileExtensions, strings.ToLower(filepath.Ext(name))) {
		name = strings.TrimSuffix(name, filepath.Ext(name))
	}
	if name != t.path && !t.isFolder {
		return fmt.Errorf("%s is the name of one file, and there are several; write %s for a folder or %s.zip", t.path,
			name, name)
	}
	return nil
}

func (t *Target) isZip() bool { return strings.EqualFold(filepath.Ext(t.path), ".zip") }

// document returns the name of the file in the folder of the target that identifies a set.
func (t *Target) document() string {
	if t.isZip() {
		return filepath.Base(t.path)
	}
	return t.set.document
}

// folder returns the path of the folder that has the files, or the zip.
func (t *Target) folder() string {
	if t.isZip() {
		return filepath.Dir(t.path)
	}
	return t.path
}

// made opens a folder. It makes the folder and the folders above it if they do not exist; done removes them if they are
// not kept.
func made(path string) (root *os.Root, done func(keep bool), err error) {
	root, err = folder.Open(path)
	if err == nil {
		return root, func(bool) {}, nil
	}
	parent, name := filepath.Dir(path), filepath.Base(path)
	if _, missing := os.Lstat(path); missing == nil || parent == path {
		return nil, nil, err
	}
	above, doneAbove, err := made(parent)
	if err != nil {
		return nil, nil, err
	}
	done = func(keep bool) {
		if !keep {
			_ = above.Remove(name)
		}
		_ = above.Close()
		doneAbove(keep)
	}
	if root, err = folder.Make(above, name); err != nil {
		done(false)
		return nil, nil, err
	}
	return root, done, nil
}

// Finish waits for a write in another goroutine, and blocks every later write: a signal ends the program.
func (t *Target) Finish() {
	if t != nil {
		t.changing.Lock() // never unlocked
	}
}

// Write writes the files. If a file cannot be rendered, or the disk is full, no file changes.
func (t *Target) Write(files []File) error {
	if t == nil {
		return nil
	}
	var set []folder.File
	var err error
	for _, f := range files {
		var content bytes.Buffer
		if err = f.Write(&content); err != nil {
			err = fmt.Errorf("%s: %w", f.Name, err)
			break
		}
		set = append(set, folder.File{Name: f.Name, Content: content.Bytes()})
	}
	t.changing.Lock()
	defer t.changing.Unlock()
	if err == nil {
		err = t.replace(set)
	}
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return nil
}

// Written returns a line with the number of written files and the file to open; "" for a nil target.
func (t *Target) Written(files []File) string {
	if t == nil {
		return ""
	}
	page := ""
	for _, f := range files {
		if path.Ext(f.Name) == ".html" {
			page = f.Name
		}
	}
	open := filepath.Join(t.path, page)
	if t.isZip() {
		open = page + " in it"
	}
	return fmt.Sprintf("Wrote %s into %s; open %s.\n", words.Plural(len(files), "file"), t.path, open)
}

// replace writes the set. If it fails, it leaves no new folder.
func (t *Target) replace(set []folder.File) (err error) {
	root, done, err := made(t.folder())
	if err != nil {
		return err
	}
	defer func() {
		_ = root.Close()
		done(err == nil)
	}()
	old, err := t.replaced(root) // another command may have written here since Check
	if err != nil {
		return err
	}
	if t.isZip() {
		zipped, err := t.zipped(set)
		if err != nil {
			return err
		}
		return folder.Replace(root, []folder.File{{Name: t.document(), Content: zipped}}, nil)
	}
	if slices.ContainsFunc(set, func(f folder.File) bool { return isChart(f.Name) }) {
		_, missing := root.Lstat(charts)
		pictures, unmade := folder.Make(root, charts)
		if unmade != nil {
			return unmade
		}
		_ = pictures.Close()
		defer func() {
			if err != nil && missing != nil {
				_ = root.Remove(charts)
			}
		}()
	}
	stale := slices.DeleteFunc(old, func(picture string) bool {
		return slices.ContainsFunc(set, func(f folder.File) bool { return f.Name == picture })
	})
	return folder.Replace(root, set, stale)
}

// replaced returns the pictures of the set that the target has now, and an error if that set
// must not be replaced.
func (t *Target) replaced(root *os.Root) (pictures []string, err error) {
	document := t.document()
	old, err := folder.OpenRegular(root, document)
	switch {
	case errors.Is(err, folder.ErrNotRegular) && t.isZip():
		return nil, fmt.Errorf("%s %w; a name that ends in .zip must be one", t.path, err)
	case errors.Is(err, folder.ErrNotRegular):
		return nil, fmt.Errorf("%s %w; name another one", folder.Path(root, document), err)
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%w; it would be replaced; name another one", err)
	}
	defer func() { _ = old.Close() }()
	return t.set.replaces(old, t.path)
}

func (t *Target) zipped(set []folder.File) ([]byte, error) {
	var content bytes.Buffer
	within := strings.TrimSuffix(filepath.Base(t.path), filepath.Ext(t.path))
	writer := zip.NewWriter(&content)
	for _, f := range set {
		entry, err := writer.CreateHeader(&zip.FileHeader{Name: path.Join(within, f.Name), Method: zip.Deflate,
			Modified: time.Now()})
		if err != nil {
			return nil, err
		}
		if _, err := entry.Write(f.Content); err != nil {
			return nil, err
		}
	}
	err := writer.Close()
	return content.Bytes(), err
}
