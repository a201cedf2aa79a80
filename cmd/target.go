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

// A file is one of those that --out leaves.
type file struct {
	name  string // relative, with forward slashes
	write func(io.Writer) error
}

// A target is what --out names: a folder, or a zip for a bug tracker. It is made
// and tried before anything is measured, so that a long run does not end in a
// refusal. The nil target takes everything and writes nothing.
type target struct {
	path string
	kind kind
	// folder says that the name ends as only a folder's does.
	folder bool
	made   []string // the folders that this run made, the outermost first
	// changing is held while something is changed on the disk.
	changing sync.Mutex
}

// newTarget returns the target of that name for files of that kind, nil where there is no
// name. Nothing is made yet.
func newTarget(path string, kind kind) *target {
	if path == "" {
		return nil
	}
	// The folder above "report/" would be "report".
	return &target{path: filepath.Clean(path), kind: kind, folder: os.IsPathSeparator(path[len(path)-1])}
}

// open makes the target's folders and tries whether they can be written: that of the
// pictures too. It refuses a target that holds what a new set must not replace.
func (t *target) open() error {
	if t == nil {
		return nil
	}
	t.changing.Lock()
	defer t.changing.Unlock()
	if err := t.prepare(); err != nil {
		t.takeAway()
		return fmt.Errorf("--out: %w", err)
	}
	return nil
}

// fileNames end the names of single files and of archives, of which --out makes none.
var fileNames = []string{
	".html", ".htm", ".md", ".markdown", ".json", ".csv", ".txt", ".png", ".svg", ".pdf",
	".tar", ".gz", ".tgz", ".bz2", ".xz", ".zst", ".7z", ".rar",
}

// withoutEnding returns a path without its fileNames.
func withoutEnding(path string) string {
	ending := filepath.Ext(path)
	if !slices.Contains(fileNames, strings.ToLower(ending)) {
		return path
	}
	return withoutEnding(strings.TrimSuffix(path, ending))
}

func (t *target) prepare() error {
	if name := withoutEnding(t.path); name != t.path && !t.folder {
		return fmt.Errorf("%s ends like one file, and there are several; write %s for a folder or %s.zip", t.path, name, name)
	}
	if info, err := os.Stat(t.path); t.isZip() && err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder; a name that ends in .zip is for a file", t.path)
	}
	if _, err := t.occupied(); err != nil {
		return err
	}
	folders := []string{t.path, filepath.Join(t.path, "charts")}
	if t.isZip() {
		folders = []string{filepath.Dir(t.path)}
	}
	for _, folder := range folders {
		if err := t.try(folder); err != nil {
			return err
		}
	}
	return nil
}

func (t *target) isZip() bool { return strings.EqualFold(filepath.Ext(t.path), ".zip") }

// try makes a folder and tries whether it can be written.
func (t *target) try(folder string) error {
	return insist(func() error {
		if err := t.make(folder); err != nil {
			return err
		}
		probe, err := create(folder, 0o600)
		if err != nil {
			return couldNot(fmt.Errorf("the folder %s cannot be written: %w", folder, cause(err)))
		}
		_ = probe.Close()
		return os.Remove(probe.Name())
	})
}

// insist does again what found something gone: a run that ends takes away the folders that it
// made, which another may have wanted just then. It pauses longer each time, so that as many
// runs as there are get out of each other's way, and gives up after half a second: what is gone
// by then is not coming.
func insist(do func() error) error {
	for pause := 100 * time.Microsecond; ; pause *= 2 {
		err := do()
		if !errors.Is(err, fs.ErrNotExist) || pause > 300*time.Millisecond {
			return err
		}
		time.Sleep(pause)
	}
}

// make makes a folder and those above it, and remembers which it made.
func (t *target) make(path string) error {
	info, err := os.Stat(path)
	if err == nil {
		if !info.IsDir() {
			return fmt.Errorf("%s is a file; name a folder", path)
		}
		return nil
	}
	if leadsTo, err := os.Readlink(path); err == nil {
		return fmt.Errorf("%s is a symbolic link to %s, which is not there; make that folder or name another one", path, leadsTo)
	}
	if parent := filepath.Dir(path); parent != path {
		if err := t.make(parent); err != nil {
			return err
		}
	}
	err = os.Mkdir(path, 0o755)
	if errors.Is(err, fs.ErrExist) {
		// Another run made it meanwhile, and so it is not this one's to take away.
		if info, err = os.Stat(path); err == nil && info.IsDir() {
			return nil
		}
	}
	if err != nil {
		return couldNot(fmt.Errorf("the folder %s cannot be made: %w", path, cause(err)))
	}
	t.made = append(t.made, path)
	return nil
}

// takeAway removes the folders that this run made, as far as they are empty.
func (t *target) takeAway() {
	for i := len(t.made) - 1; i >= 0; i-- {
		_ = syscall.Rmdir(t.made[i]) // os.Remove would take a file too that stands there now
	}
}

// abandon takes away what a run made that will write nothing.
func (t *target) abandon() {
	if t == nil {
		return
	}
	t.changing.Lock()
	defer t.changing.Unlock()
	t.takeAway()
}

// giveUp is abandon just before the process ends while something else may write: a set
// whose writing has begun gets whole, and none is begun after it.
func (t *target) giveUp() {
	if t == nil {
		return
	}
	t.changing.Lock() // and never unlocked
	t.takeAway()
}

// write leaves all files or none: nothing on the disk changes for a set
// that could not be made. After a failure it has abandoned the target.
func (t *target) write(files []file) error {
	if t == nil {
		return nil
	}
	set, err := contents(files)
	t.changing.Lock()
	defer t.changing.Unlock()
	if err == nil {
		err = insist(func() error { return t.leave(set) })
	}
	t.takeAway() // a folder for pictures that were none, or all of them
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return nil
}

// contents makes the files; the names are not those on the disk yet.
func contents(files []file) ([]*placing, error) {
	var set []*placing
	for _, f := range files {
		var content bytes.Buffer
		if err := f.write(&content); err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		set = append(set, &placing{name: f.name, content: content.Bytes()})
	}
	return set, nil
}

// lockPatience is how long a run waits for another that writes into the same folder, which
// takes milliseconds.
const lockPatience = 10 * time.Second

// leave puts the set in place of the one that is there.
func (t *target) leave(set []*placing) error {
	folder := t.path
	if t.isZip() {
		folder = filepath.Dir(t.path)
	}
	if err := t.make(folder); err != nil {
		return err
	}
	defer locked(folder)()
	// Another command may have been here since the target was opened.
	pictures, err := t.occupied()
	if err != nil {
		return err
	}
	if t.isZip() {
		packed, err := t.pack(set)
		if err != nil {
			return err
		}
		return place([]*placing{{name: t.path, content: packed}})
	}
	var onDisk []*placing
	for _, p := range append(stale(pictures, set), set...) {
		name := filepath.Join(t.path, filepath.FromSlash(p.name))
		if err := t.make(filepath.Dir(name)); err != nil {
			return err
		}
		onDisk = append(onDisk, &placing{name: name, content: p.content, away: p.away})
	}
	return place(onDisk)
}

// stale takes away the pictures of the old set that the new one does not have.
func stale(pictures []string, set []*placing) []*placing {
	var away []*placing
	for _, picture := range pictures {
		if !slices.ContainsFunc(set, func(p *placing) bool { return p.name == picture }) {
			away = append(away, &placing{name: picture, away: true})
		}
	}
	return away
}

// pack returns a zip of the files, within a folder that has its name.
func (t *target) pack(set []*placing) ([]byte, error) {
	var packed bytes.Buffer
	within := strings.TrimSuffix(filepath.Base(t.path), filepath.Ext(t.path))
	writer := zip.NewWriter(&packed)
	for _, p := range set {
		entry, err := writer.CreateHeader(&zip.FileHeader{Name: path.Join(within, p.name), Method: zip.Deflate, Modified: time.Now()})
		if err != nil {
			return nil, err
		}
		if _, err := entry.Write(p.content); err != nil {
			return nil, err
		}
	}
	err := writer.Close()
	return packed.Bytes(), err
}
