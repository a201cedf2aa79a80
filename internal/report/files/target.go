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
	"sync/atomic"
	"time"

	"github.com/timebench/timebench/internal/show/words"
	"github.com/timebench/timebench/internal/system/folder"
)

// A File is one of the files that --out writes. Its name is relative, with forward slashes.
type File struct {
	Name  string
	Write func(io.Writer) error
}

// A Target is the folder or the zip of --out. Its folders are made and checked before anything is
// measured, so that a long run does not end in a refusal. A nil target writes nothing.
type Target struct {
	path string
	set  Set
	// isFolder is true if the name ends in a slash.
	isFolder bool
	made     []madeFolder // the outermost first
	// changing is held during a change on the disk.
	changing  sync.Mutex
	abandoned atomic.Bool
}

// A madeFolder is a folder that this run made. It is removed by the folder above it, which is open:
// another user may have put another folder at its path since.
type madeFolder struct {
	above *os.Root
	name  string
}

// charts is the folder of the pictures in the target.
const charts = "charts"

// NewTarget returns the target with this name, and nil for an empty name. It makes no folder.
func NewTarget(path string, set Set) *Target {
	if path == "" {
		return nil
	}
	// filepath.Dir("report/") is "report".
	return &Target{path: filepath.Clean(path), set: set, isFolder: os.IsPathSeparator(path[len(path)-1])}
}

// Open makes the target's folders and checks that they are writable. It returns an error if the
// target has a set that must not be replaced.
func (t *Target) Open() error {
	if t == nil {
		return nil
	}
	t.changing.Lock()
	defer t.changing.Unlock()
	err := t.checkName()
	if err == nil {
		err = t.inFolder(func(root *os.Root) error {
			if _, err := t.replaced(root); err != nil {
				return err
			}
			if err := folder.CheckWritable(root, t.document()); err != nil || t.isZip() {
				return err
			}
			pictures, err := t.make(root, charts)
			if err != nil {
				return err
			}
			defer func() { _ = pictures.Close() }()
			return folder.CheckWritable(pictures, charts)
		})
	}
	if err != nil {
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

// checkName returns an error if the name is that of a file.
func (t *Target) checkName() error {
	if t.path == "-" && !t.isFolder {
		return errors.New("- is a folder here and not standard output; write --format json for the document there, or -/ for the folder")
	}
	if err := checkSystemName(t.path); err != nil {
		return err
	}
	name := t.path
	for slices.Contains(fileExtensions, strings.ToLower(filepath.Ext(name))) {
		name = strings.TrimSuffix(name, filepath.Ext(name))
	}
	if name != t.path && !t.isFolder {
		return fmt.Errorf("%s is the name of one file, and there are several; write %s for a folder or %s.zip", t.path, name, name)
	}
	return nil
}

func (t *Target) isZip() bool { return strings.EqualFold(filepath.Ext(t.path), ".zip") }

// document returns the name of the file in the folder of the target by which a set is known.
func (t *Target) document() string {
	if t.isZip() {
		return filepath.Base(t.path)
	}
	return t.set.document
}

// inFolder calls a function with the folder of the target, which is made if it does not exist.
func (t *Target) inFolder(do func(*os.Root) error) error {
	path := t.path
	if t.isZip() {
		path = filepath.Dir(path)
	}
	root, err := t.open(path)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	return do(root)
}

// open opens a folder. It makes the folder and those above it if they do not exist.
func (t *Target) open(path string) (*os.Root, error) {
	root, err := folder.Open(path)
	if err == nil {
		return root, nil
	}
	parent := filepath.Dir(path)
	if _, missing := os.Stat(path); missing == nil || parent == path {
		return nil, err
	}
	above, err := t.open(parent)
	if err != nil {
		return nil, err
	}
	defer func() { _ = above.Close() }()
	return t.make(above, filepath.Base(path))
}

// make opens a folder in another one. It makes it if it does not exist, and records that.
func (t *Target) make(above *os.Root, name string) (*os.Root, error) {
	root, made, err := folder.Make(above, name)
	if !made {
		return root, err
	}
	// It is closed by removeMade, and the caller closes above.
	kept, unopened := above.OpenRoot(".")
	if unopened != nil {
		_ = folder.RemoveFolder(above, name)
		return root, errors.Join(err, unopened)
	}
	t.made = append(t.made, madeFolder{kept, name})
	return root, err
}

// removeMade removes the folders that this run made and that are empty.
func (t *Target) removeMade() {
	for _, made := range slices.Backward(t.made) {
		_ = folder.RemoveFolder(made.above, made.name)
		_ = made.above.Close()
	}
	t.made = nil
}

// Abandon removes the empty folders of a run that writes nothing, or that a signal ends. It waits for a write that
// has begun in another goroutine, and blocks every later one.
func (t *Target) Abandon() {
	if t == nil || t.abandoned.Swap(true) { // a signal may come after a run that wrote nothing
		return
	}
	t.changing.Lock() // never unlocked
	t.removeMade()
}

// Write writes the files. If one cannot be rendered, or the disk is full, nothing changes. After an error the target is
// abandoned.
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
		err = t.inFolder(func(root *os.Root) error { return t.replace(root, set) })
	}
	t.removeMade() // the folder of the pictures if there are none; all of them after an error
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return nil
}

// Written returns what Write wrote and which file to open, as a line; "" for a nil target.
func (t *Target) Written(files []File) string {
	if t == nil {
		return ""
	}
	var names []string
	pictures, page := 0, ""
	for _, f := range files {
		switch {
		case strings.HasPrefix(f.Name, charts+"/"):
			pictures++
			continue
		case path.Ext(f.Name) == ".html":
			page = f.Name
		}
		names = append(names, f.Name)
	}
	if pictures > 0 {
		names = append(names, words.Plural(pictures, "chart"))
	}
	open := filepath.Join(t.path, page)
	if t.isZip() {
		open = page + " in it"
	}
	return fmt.Sprintf("Wrote %s into %s; open %s.\n", words.List(names), t.path, open)
}

// replace replaces the set of the target with a new one.
func (t *Target) replace(root *os.Root, set []folder.File) error {
	update, err := folder.Begin(root, t.document())
	if err != nil {
		return err
	}
	defer update.End()
	old, err := t.replaced(root) // another command may have written here since Open
	if err != nil {
		return err
	}
	if t.isZip() {
		zipped, err := t.zipped(set)
		if err != nil {
			return err
		}
		return update.Replace([]folder.File{{Name: t.document(), Content: zipped}}, nil)
	}
	pictures, err := t.make(root, charts)
	if err != nil {
		return err
	}
	_ = pictures.Close()
	stale := slices.DeleteFunc(old, func(picture string) bool {
		return slices.ContainsFunc(set, func(f folder.File) bool { return f.Name == picture })
	})
	return update.Replace(set, stale)
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
		entry, err := writer.CreateHeader(&zip.FileHeader{Name: path.Join(within, f.Name), Method: zip.Deflate, Modified: time.Now()})
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
