// Package render writes a result document as a table, Markdown, CSV, JSON, Go benchmark text or
// a page. It measures nothing and knows no section.
//
// A new format is one file here and one entry in [Formats].
package render

import (
	"io"
	"slices"

	"github.com/timebench/timebench/internal/diff"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/printable"
)

// cleaned returns a copy in which no text has terminal control characters or line breaks. Every
// text format calls it first, so that nothing bypasses it. JSON and CSV clean in their own way
// (printable.JSON, table.CSVCell).
func cleaned[T any](of T) T { return printable.All(of, printable.Line) }

// A Format is a way to write a document or a diff.
type Format[T any] struct {
	Name  string
	About string
	Write func(io.Writer, T) error
}

// Formats are the formats of a document, the default first.
var Formats = []Format[*result.Document]{
	{"table", "for people, within 100 columns", as(Report.Text, OfDocument)},
	{"markdown", "for a bug report", as(plainMarkdown, OfDocument)},
	{"csv", "a line for each figure", CSV},
	{"json", "the whole document", func(w io.Writer, d *result.Document) error { return d.Write(w) }},
	{"bench", "Go benchmark text, a line for each sample, for benchstat", Bench},
	{"html", "one page with pictures, and the document in it", as(Report.HTML, OfDocument)},
	{"prometheus", "metrics, for the textfile collector of node_exporter", Prometheus},
}

// SectionFormats are the formats of the commands other than compare: all but those that have costs
// only.
var SectionFormats = slices.DeleteFunc(slices.Clone(Formats), func(f Format[*result.Document]) bool {
	return f.Name == "bench" || f.Name == "prometheus"
})

// DiffFormats are the formats of a diff, the default first.
var DiffFormats = []Format[*diff.Diff]{
	{"table", "for people, within 100 columns", as(Report.Text, OfDiff)},
	{"markdown", "for a bug report", as(plainMarkdown, OfDiff)},
	{"csv", "a line for each figure", DiffCSV},
	{"json", "all that was compared", DiffJSON},
	{"bench", "Go benchmark text of both: benchstat -col run", DiffBench},
	{"html", "one page with the picture", as(Report.HTML, OfDiff)},
}

// Named returns the format of that name, and whether there is one.
func Named[T any](formats []Format[T], name string) (Format[T], bool) {
	i := slices.IndexFunc(formats, func(f Format[T]) bool { return f.Name == name })
	if i < 0 {
		return Format[T]{}, false
	}
	return formats[i], true
}

// Names returns the formats' names in order.
func Names[T any](formats []Format[T]) []string {
	names := make([]string, len(formats))
	for i, format := range formats {
		names[i] = format.Name
	}
	return names
}
