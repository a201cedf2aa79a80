package cmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/timebench/timebench/internal/diff"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/fleet"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/sections"
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
		return diff.Side{}, fmt.Errorf("%s holds %d results; a side of diff has %d at most", name, len(files),
			compare.MaxRuns)
	}
	var runs []*result.Document
	for _, file := range files {
		d, err := loadRun(file, file == name, len(files))
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

// maxSide is the max size of the documents of a side together, in bytes: they are in memory at once.
const maxSide = 512 << 20

// loadRun loads one of several runs. A file that the user did not name may have become a pipe without a writer.
func loadRun(file string, named bool, runs int) (*result.Document, error) {
	if named {
		return loadResult(file)
	}
	most := int64(min(result.MaxSize, maxSide/runs))
	d, err := sections.LoadUpTo(file, most)
	if errors.Is(err, result.ErrTooLarge) && most < result.MaxSize {
		return nil, fmt.Errorf("%s: is larger than %d MiB, the most for each of %d runs", file, most>>20, runs)
	}
	return d, err
}

// runFiles returns the results in a folder of several results, and otherwise the name itself.
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
