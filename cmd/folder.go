package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/timebench/timebench/internal/chart"
	"github.com/timebench/timebench/internal/render"
	"github.com/timebench/timebench/internal/result"
)

// A folder is what --out names. It is made and tried before anything is
// measured, so that a long run does not end in a refusal. The nil folder takes
// everything and writes nothing.
type folder struct {
	path string
	made []string // the folders that this run made, the outermost first
}

func openFolder(path string) (*folder, error) {
	if path == "" {
		return nil, nil
	}
	f := &folder{path: path}
	for _, folder := range []string{path, filepath.Join(path, "charts")} {
		if err := f.try(folder); err != nil {
			f.abandon()
			return nil, fmt.Errorf("--out: %w", err)
		}
	}
	return f, nil
}

// try makes a folder and tries whether it can be written.
func (f *folder) try(path string) error {
	if err := f.make(path); err != nil {
		return err
	}
	probe, err := os.CreateTemp(path, ".timebench-*")
	if err != nil {
		return fmt.Errorf("the folder %s cannot be written: %w", path, cause(err))
	}
	_ = probe.Close()
	return os.Remove(probe.Name())
}

// make makes a folder and those above it, and remembers which it made.
func (f *folder) make(path string) error {
	info, err := os.Stat(path)
	if err == nil {
		if !info.IsDir() {
			return fmt.Errorf("%s is a file; name a folder", path)
		}
		return nil
	}
	if parent := filepath.Dir(path); parent != path {
		if err := f.make(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(path, 0o755); err != nil {
		return fmt.Errorf("the folder %s cannot be made: %w", path, cause(err))
	}
	f.made = append(f.made, path)
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
func (f *folder) abandon() {
	if f == nil {
		return
	}
	for i := len(f.made) - 1; i >= 0; i-- {
		_ = os.Remove(f.made[i])
	}
}

// write fills the folder: the document, the charts, and the report that shows
// them. Each file is written whole or not at all.
func (f *folder) write(d *result.Document) error {
	if f == nil {
		return nil
	}
	var pictures []render.Picture
	for _, c := range chart.Charts {
		if !c.Drawable(d) {
			continue
		}
		if err := f.file("charts/"+c.Name+".png", func(w io.Writer) error { return c.PNG(w, d) }); err != nil {
			return err
		}
		pictures = append(pictures, render.Picture{Title: c.Title, Path: "charts/" + c.Name + ".png"})
	}
	if err := f.file("report.md", func(w io.Writer) error { return render.Markdown(w, d, pictures) }); err != nil {
		return err
	}
	return f.file("results.json", d.Write)
}

func (f *folder) file(name string, write func(io.Writer) error) error {
	path := filepath.Join(f.path, filepath.FromSlash(name))
	if err := f.make(filepath.Dir(path)); err != nil {
		return err
	}
	var content bytes.Buffer
	if err := write(&content); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return writeWhole(path, content.Bytes())
}
