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

	"github.com/timebench/timebench/internal/diff"
	"github.com/timebench/timebench/internal/fleet"
	"github.com/timebench/timebench/internal/picture"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/sections"
	"github.com/timebench/timebench/internal/words"
)

// A fileSet describes the files that --out of a command writes.
type fileSet struct {
	document string // the name of the file with all of the data
	// replaces returns the pictures of the set in a folder or zip that a new set replaces. An
	// error says why it must not be replaced.
	replaces func(path string) (pictures []string, err error)
}

// resultSet returns the set of a document with the results of these commands. It replaces a
// document only if that has no results of other commands, which would be lost.
func resultSet(commands ...string) fileSet {
	return fileSet{"results.json", func(path string) ([]string, error) {
		old, err := sections.Load(path)
		if err != nil {
			return nil, fmt.Errorf("%w; it would be replaced; name another one", err)
		}
		lost := slices.DeleteFunc(measuredBy(old), func(command string) bool { return slices.Contains(commands, command) })
		if len(lost) > 0 {
			return nil, fmt.Errorf("%s has the results of %s, which would be lost; name another one", path, words.List(lost))
		}
		_, pictures := drawn(sections.Pictures(), old)
		return pictures, nil
	}}
}

// measuredBy returns the commands whose results a document has.
func measuredBy(d *result.Document) []string {
	commands := sections.Commands(d)
	if d.Settings.Rounds == 0 || !measuredByDoctor(d) {
		return commands
	}
	others := slices.DeleteFunc(commands, func(command string) bool { return command == "compare" || command == "verify" || command == "profile" })
	return append([]string{"doctor"}, others...)
}

// diffSet and fleetSet are the sets of a diff and of a fleet. Each replaces any other of its kind.
var (
	diffSet  = comparisonSet("diff.json", "timebench-diff/", "a diff", diff.Pictures)
	fleetSet = comparisonSet("fleet.json", "timebench-fleet/", "a fleet", fleet.Pictures)
)

// comparisonSet returns the set of a document of this schema, which has only what other files have too.
func comparisonSet[T any](document, schema, what string, charts []picture.Chart[T]) fileSet {
	return fileSet{document, func(path string) ([]string, error) {
		if old, err := schemaIn(path, document); err != nil || !strings.HasPrefix(old, schema) {
			return nil, fmt.Errorf("%s has something that does not begin as %s of timebench does, and would be lost; name another one", path, what)
		}
		var pictures []string
		for _, c := range charts {
			pictures = append(pictures, pictureFile(c.Name))
		}
		return pictures, nil
	}}
}

// schemaIn returns the schema of a comparison in a folder or a zip.
func schemaIn(name, document string) (string, error) {
	if info, err := os.Stat(name); err != nil || info.IsDir() {
		file, err := os.Open(filepath.Join(name, document))
		if err != nil {
			return "", err
		}
		defer func() { _ = file.Close() }()
		return schemaOf(file)
	}
	archive, err := zip.OpenReader(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = archive.Close() }()
	for _, entry := range archive.File {
		if path.Base(entry.Name) == document {
			file, err := entry.Open()
			if err != nil {
				return "", err
			}
			defer func() { _ = file.Close() }()
			return schemaOf(file)
		}
	}
	return "", errors.New("has no " + document)
}

// schemaOf returns the schema that a comparison begins with. It reads no more: the rest may be large.
func schemaOf(r io.Reader) (string, error) {
	const most = 4096
	begin := json.NewDecoder(io.LimitReader(r, most))
	for _, want := range []json.Token{json.Delim('{'), "schema"} {
		if got, err := begin.Token(); err != nil || got != want {
			return "", errors.Join(errors.New("does not begin with its schema"), err)
		}
	}
	schema, err := begin.Token()
	text, _ := schema.(string)
	return text, err
}

// replaced returns the pictures of the set that the target has now, and an error if that set
// must not be replaced.
func (t *target) replaced() (pictures []string, err error) {
	document := t.path
	if !t.isZip() {
		document = filepath.Join(t.path, t.set.document)
	}
	info, err := os.Stat(document)
	switch {
	case err != nil: // no set; whether the folder can be written is checked later
		return nil, nil
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file; name another one", document)
	}
	return t.set.replaces(t.path)
}
