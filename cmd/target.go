package cmd

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
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
	made []string // the folders that this run made, the outermost first
	// writing is held while the set of files is put on the disk.
	writing sync.Mutex
}

// openTarget tries the target, which holds pictures in a folder of their own.
func openTarget(path string) (*target, error) {
	if path == "" {
		return nil, nil
	}
	// The folder above "report/" would be "report".
	path = filepath.Clean(path)
	t := &target{path: path}
	folders := []string{path, filepath.Join(path, "charts")}
	if t.isZip() {
		folders = []string{filepath.Dir(path)}
	}
	for _, folder := range folders {
		if err := t.try(folder); err != nil {
			t.abandon()
			return nil, fmt.Errorf("--out: %w", err)
		}
	}
	if info, err := os.Stat(path); t.isZip() && err == nil && info.IsDir() {
		return nil, fmt.Errorf("--out: %s is a folder; a name that ends in .zip is for a file", path)
	}
	return t, nil
}

func (t *target) isZip() bool { return strings.EqualFold(filepath.Ext(t.path), ".zip") }

// try makes a folder and tries whether it can be written.
func (t *target) try(folder string) error {
	if err := t.make(folder); err != nil {
		return err
	}
	probe, err := os.CreateTemp(folder, ".timebench-*")
	if err != nil {
		return fmt.Errorf("the folder %s cannot be written: %w", folder, cause(err))
	}
	_ = probe.Close()
	return os.Remove(probe.Name())
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
	if parent := filepath.Dir(path); parent != path {
		if err := t.make(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(path, 0o755); err != nil {
		return fmt.Errorf("the folder %s cannot be made: %w", path, cause(err))
	}
	t.made = append(t.made, path)
	return nil
}

// cause is the system's own word for an error that names its path already.
func cause(err error) error {
	var pathError *os.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}

// abandon takes away the folders that this run made, as far as they are empty.
func (t *target) abandon() {
	if t == nil {
		return
	}
	for i := len(t.made) - 1; i >= 0; i-- {
		_ = os.Remove(t.made[i])
	}
}

// giveUp is abandon just before the process ends while something else may write: a set
// whose writing has begun gets whole, and none is begun after it.
func (t *target) giveUp() {
	if t == nil {
		return
	}
	t.writing.Lock() // and never unlocked
	t.abandon()
}

// write makes all files, and then leaves each whole: nothing is on disk of a set
// that could not be made. After a failure it has abandoned the target.
func (t *target) write(files []file) error {
	if t == nil {
		return nil
	}
	err := t.leave(files)
	if err != nil {
		t.abandon()
	}
	return err
}

func (t *target) leave(files []file) error {
	contents := make([]bytes.Buffer, len(files))
	for i, f := range files {
		if err := f.write(&contents[i]); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	t.writing.Lock()
	defer t.writing.Unlock()
	if t.isZip() {
		return t.pack(files, contents)
	}
	for i, f := range files {
		name := filepath.Join(t.path, filepath.FromSlash(f.name))
		if err := t.make(filepath.Dir(name)); err != nil {
			return err
		}
		if err := writeWhole(name, contents[i].Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// pack leaves the files in a zip, within a folder that has its name.
func (t *target) pack(files []file, contents []bytes.Buffer) error {
	var packed bytes.Buffer
	within := strings.TrimSuffix(filepath.Base(t.path), filepath.Ext(t.path))
	writer := zip.NewWriter(&packed)
	for i, f := range files {
		entry, err := writer.CreateHeader(&zip.FileHeader{Name: path.Join(within, f.name), Method: zip.Deflate, Modified: time.Now()})
		if err != nil {
			return err
		}
		if _, err := contents[i].WriteTo(entry); err != nil {
			return err
		}
	}
	if err := writer.Close(); err != nil {
		return err
	}
	return writeWhole(t.path, packed.Bytes())
}
