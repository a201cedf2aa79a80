package cmd

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/timebench/timebench/internal/compare"
	"github.com/timebench/timebench/internal/diff"
	"github.com/timebench/timebench/internal/fleet"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/sections"
)

// loadSide returns a side of diff: one result, or the runs that a folder or a glob holds.
func loadSide(name string) (diff.Side, error) {
	names, err := globbed([]string{name})
	if err != nil {
		return diff.Side{}, err
	}
	var files []string
	for _, name := range names {
		found, err := runFiles(name)
		if err != nil {
			return diff.Side{}, err
		}
		files = append(files, found...)
	}
	if len(files) > compare.MaxRuns {
		return diff.Side{}, fmt.Errorf("%s holds %d results; a side of diff has %d runs at most", name, len(files), compare.MaxRuns)
	}
	var runs []*result.Document
	for _, file := range files {
		load := loadFound
		if file == name {
			load = loadResult
		}
		d, err := load(file)
		if err != nil {
			return diff.Side{}, err
		}
		runs = append(runs, d)
	}
	if len(files) == 1 {
		name = files[0]
	}
	return diff.ReadRuns(name, files, runs)
}

// loadFound loads a result that the user did not name. It may have become a pipe to which nobody writes.
func loadFound(file string) (*result.Document, error) {
	return sections.LoadUpTo(file, result.MaxSize)
}

// runFiles returns the results in a folder of several. The name of anything else is that of one result.
func runFiles(name string) ([]string, error) {
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return []string{name}, nil
	}
	if _, err := os.Stat(filepath.Join(name, "results.json")); err == nil {
		return []string{name}, nil
	}
	files, unread, err := fleet.Find([]string{name}, nil)
	switch {
	case err != nil:
		return nil, err
	case len(unread) > 0:
		return nil, fmt.Errorf("%s: %s", unread[0].File, unread[0].Reason)
	case len(files) == 0:
		return []string{name}, nil
	}
	return files, nil
}
