package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/diff"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/fleet"
	"github.com/timebench/timebench/internal/measurement/sections"
	"github.com/timebench/timebench/internal/measurement/verify"
	"github.com/timebench/timebench/internal/show/picture"
	"github.com/timebench/timebench/internal/show/words"
)

// A fileSet describes the files that --out of a command writes.
type fileSet struct {
	document string // the name of the file with all of the data
	// replaces returns the pictures of the set that a new set replaces, by its document or its zip.
	// An error says why it must not be replaced. path is that of --out.
	replaces func(old *os.File, path string) (pictures []string, err error)
}

// resultSet returns the set of a document with the results of these commands. It replaces a
// document only if that has no results of other commands, which would be lost.
func resultSet(commands ...string) fileSet {
	return fileSet{"results.json", func(file *os.File, path string) ([]string, error) {
		old, err := sections.Read(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w; it would be replaced; name another one", filepath.Clean(file.Name()), err)
		}
		lost := slices.DeleteFunc(measuredBy(old), func(command string) bool { return slices.Contains(commands, command) })
		if len(lost) > 0 {
			return nil, fmt.Errorf("%s has the results of %s, which would be lost; name another one", path, words.List(lost))
		}
		_, pictures := drawn(sections.Pictures(), old)
		return pictures, nil
	}}
}

// measuredBy returns the commands whose results a document has. Older documents do not name theirs: of those, only
// doctor's have both rounds and a verification.
func measuredBy(d *result.Document) []string {
	commands := sections.Commands(d)
	doctor := d.Tool.Command == "doctor" || d.Tool.Command == "" && d.Settings.Rounds > 0 && verify.Of(d) != nil
	if !doctor {
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
	return fileSet{document, func(file *os.File, path string) ([]string, error) {
		if old, err := schemaIn(file, document); err != nil || !strings.HasPrefix(old, schema) {
			return nil, fmt.Errorf("%s is not %s of timebench and would be overwritten; name another one", path, what)
		}
		var pictures []string
		for _, c := range charts {
			pictures = append(pictures, pictureFile(c.Name))
		}
		return pictures, nil
	}}
}

// schemaIn returns the schema of a comparison: of its document, or of the one in a zip.
func schemaIn(file *os.File, document string) (string, error) {
	if filepath.Base(file.Name()) == document {
		return schemaOf(file)
	}
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	archive, err := result.OpenZip(file, info.Size())
	if err != nil {
		return "", err
	}
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
func (t *target) replaced(folder *os.Root) (pictures []string, err error) {
	document := t.set.document
	if t.isZip() {
		document = filepath.Base(t.path)
	}
	old, err := openRegular(folder, document)
	switch {
	case errors.Is(err, errNotRegular) && t.isZip():
		return nil, fmt.Errorf("%s %w; a name that ends in .zip must be one", t.path, err)
	case errors.Is(err, errNotRegular):
		return nil, fmt.Errorf("%s %w; name another one", pathIn(folder, document), err)
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%w; it would be replaced; name another one", err)
	}
	defer func() { _ = old.Close() }()
	return t.set.replaces(old, t.path)
}
