package files

import (
	"archive/zip"
	"bufio"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/timebench/timebench/internal/diff"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/fleet"
	"github.com/timebench/timebench/internal/measurement/sections"
	"github.com/timebench/timebench/internal/report/render"
	"github.com/timebench/timebench/internal/show/picture"
	"github.com/timebench/timebench/internal/show/words"
)

// A Set describes the files that --out of a command writes.
type Set struct {
	document string // the name of the file with all of the data
	// replaces returns the pictures of the set that a new set replaces, by its document or its zip. The error says why
	// the old set must not be replaced. path is the path of --out.
	replaces func(old *os.File, path string) (pictures []string, err error)
}

// Results returns the set of a document with the results of these commands. It does not replace a document with results
// of other commands, which would be lost.
func Results(commands ...string) Set {
	return Set{"results.json", func(file *os.File, path string) ([]string, error) {
		old, err := sections.Read(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w; it would be replaced; name another one", filepath.Clean(file.Name()), err)
		}
		lost := slices.DeleteFunc(MeasuredBy(old),
			func(command string) bool { return slices.Contains(commands, command) })
		if len(lost) > 0 {
			return nil, fmt.Errorf("%s has the results of %s, which would be lost; name another one", path,
				words.List(lost))
		}
		_, pictures := drawn(sections.Pictures(), old)
		return pictures, nil
	}}
}

// MeasuredBy returns the commands whose results a document has.
func MeasuredBy(d *result.Document) []string {
	if d.Tool.Command == "doctor" {
		return []string{"doctor"}
	}
	return sections.Commands(d)
}

// Diffs and Fleets are the sets of a diff and of a fleet. Each replaces any other of its kind.
var (
	Diffs  = comparisons("diff.json", "timebench-diff/", "a diff", diff.Pictures)
	Fleets = comparisons("fleet.json", "timebench-fleet/", "a fleet", fleet.Pictures)
)

// comparisons returns the set of a document of this schema. Such a document repeats the contents of other files, so it
// may be replaced.
func comparisons[T any](document, schema, what string, charts []picture.Chart[T]) Set {
	begin := regexp.MustCompile(`^\s*\{\s*"schema"\s*:\s*"` + schema)
	return Set{document, func(file *os.File, path string) ([]string, error) {
		ours := holds(file, document)
		if filepath.Base(file.Name()) == document {
			ours = begin.MatchReader(bufio.NewReader(io.LimitReader(file, 4096)))
		}
		if !ours {
			return nil, fmt.Errorf("%s is not %s of timebench and would be overwritten; name another one", path, what)
		}
		var pictures []string
		for _, c := range charts {
			pictures = append(pictures, pictureFile(c.Name))
		}
		return pictures, nil
	}}
}

// holds reports whether a file is a zip with the document of a set.
func holds(file *os.File, document string) bool {
	info, err := file.Stat()
	if err != nil {
		return false
	}
	archive, err := result.OpenZip(file, info.Size())
	return err == nil && slices.ContainsFunc(archive.File,
		func(entry *zip.File) bool { return path.Base(entry.Name) == document })
}

// OfDocument returns the files of a document, OfDiagnosis the files of its findings.
func OfDocument(d *result.Document) []File {
	return reports("report", sections.Pictures(), d, render.OfDocument, File{"results.json", d.Write})
}

// OfDiagnosis returns the files of the findings of a document.
func OfDiagnosis(d *result.Document) []File {
	return reports("report", sections.Pictures(), d, render.OfDiagnosis, File{"results.json", d.Write})
}

// OfDiff returns the files of a diff.
func OfDiff(d *diff.Diff) []File {
	return reports("diff", diff.Pictures, d, render.OfDiff, File{"diff.json",
		func(w io.Writer) error { return render.JSON(w, d) }})
}

// OfFleet returns the files of a fleet.
func OfFleet(f *fleet.Fleet) []File {
	return reports("fleet", fleet.Pictures, f, render.OfFleet, File{"fleet.json",
		func(w io.Writer) error { return render.JSON(w, f) }})
}

// reports returns the charts, the report as Markdown and as a page, and last the document.
func reports[T any](name string, charts []picture.Chart[T], of T, report func(T) render.Report, document File) []File {
	files, pictures := drawn(charts, of)
	return append(files,
		File{name + ".md", func(w io.Writer) error { return report(of).Markdown(w, pictures) }},
		File{name + ".html", func(w io.Writer) error { return report(of).HTML(w) }},
		document)
}

// drawn returns the files and the paths of the charts that have data.
func drawn[T any](all []picture.Chart[T], of T) (files []File, paths []string) {
	for _, c := range all {
		if c.Drawable(of) {
			path := pictureFile(c.Name)
			files = append(files, File{path, func(w io.Writer) error { return c.PNG(w, of) }})
			paths = append(paths, path)
		}
	}
	return files, paths
}

func pictureFile(chart string) string { return charts + "/" + chart + ".png" }
