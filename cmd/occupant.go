package cmd

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/chart"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/sections"
	"github.com/timebench/timebench/internal/words"
)

// A kind is what the files of --out belong to: a document of measurements, or a diff.
type kind struct {
	document string // the file that holds all of it
	// replaces returns the pictures of the set that stands in the folder or zip, which a new set of
	// this kind replaces. An error says why it must not.
	replaces func(path string) (pictures []string, err error)
}

// results is a document with what these commands measured. It replaces one with no more than
// that: figures that another command took are not lost to this one.
func results(commands ...string) kind {
	return kind{"results.json", func(path string) ([]string, error) {
		old, err := sections.Load(path)
		if err != nil {
			return nil, fmt.Errorf("%w; it would be replaced: name another one", err)
		}
		lost := slices.DeleteFunc(measuredBy(old), func(command string) bool { return slices.Contains(commands, command) })
		if len(lost) > 0 {
			return nil, fmt.Errorf("%s has the results of %s, which would be lost; name another one", path, words.List(lost))
		}
		_, pictures := drawn(sections.Pictures(), old)
		return pictures, nil
	}}
}

// measuredBy returns the commands whose figures a document holds.
func measuredBy(d *result.Document) []string {
	commands := sections.Commands(d)
	if d.Settings.Rounds == 0 || !examined(d) {
		return commands
	}
	others := slices.DeleteFunc(commands, func(command string) bool { return command == "compare" || command == "verify" })
	return append([]string{"doctor"}, others...)
}

// difference is a diff. It replaces any other.
var difference = kind{"diff.json", func(path string) ([]string, error) {
	content, err := readDiff(path)
	var old struct{ Schema string }
	if err != nil || json.Unmarshal(content, &old) != nil || !strings.HasPrefix(old.Schema, "timebench-diff/") {
		return nil, fmt.Errorf("%s holds something else than a diff of timebench, which would be lost; name another one", path)
	}
	var pictures []string
	for _, c := range chart.DiffCharts {
		pictures = append(pictures, pictureFile(c.Name))
	}
	return pictures, nil
}}

// readDiff reads diff.json in a folder or a zip.
func readDiff(name string) ([]byte, error) {
	if info, err := os.Stat(name); err != nil || info.IsDir() {
		return os.ReadFile(filepath.Join(name, "diff.json"))
	}
	archive, err := zip.OpenReader(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = archive.Close() }()
	for _, entry := range archive.File {
		if path.Base(entry.Name) == "diff.json" {
			file, err := entry.Open()
			if err != nil {
				return nil, err
			}
			return io.ReadAll(file)
		}
	}
	return nil, errors.New("has no diff.json")
}

// occupied returns the pictures of the set that the target holds and may replace, and an error
// where it must not.
func (t *target) occupied() (pictures []string, err error) {
	document := t.path
	if !t.isZip() {
		document = filepath.Join(t.path, t.kind.document)
	}
	info, err := os.Stat(document)
	switch {
	case err != nil: // nothing, or what the folder cannot be made or written for
		return nil, nil
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file; name another one", document)
	}
	return t.kind.replaces(t.path)
}
