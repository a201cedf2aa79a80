package cmd

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/timebench/timebench/internal/diff"
	"github.com/timebench/timebench/internal/fleet"
	"github.com/timebench/timebench/internal/result"
)

// maxRuns is how many runs a side of diff may have.
const maxRuns = 100

// loadSide returns a side of diff: one result, or the runs that a folder or a glob holds.
func loadSide(name string) (diff.Side, error) {
	names, err := globbed([]string{name})
	if err != nil {
		return diff.Side{}, err
	}
	var files []string
	for _, name := range names {
		files = append(files, runFiles(name)...)
	}
	if len(files) > maxRuns {
		return diff.Side{}, fmt.Errorf("%s holds %d results; a side of diff has %d runs at most", name, len(files), maxRuns)
	}
	if len(files) == 1 {
		name = files[0]
	}
	var runs []*result.Document
	for _, file := range files {
		d, err := loadResult(file)
		if err != nil {
			return diff.Side{}, err
		}
		runs = append(runs, d)
	}
	return diff.ReadRuns(name, files, runs)
}

// runFiles returns the results in a folder of several. The name of anything else is that of one result.
func runFiles(name string) []string {
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return []string{name}
	}
	if _, err := os.Stat(filepath.Join(name, "results.json")); err == nil {
		return []string{name}
	}
	if files, _, _ := fleet.Find([]string{name}, nil); len(files) > 0 {
		return files
	}
	return []string{name}
}
