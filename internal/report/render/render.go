// Package render writes a result document as a table, Markdown, CSV, JSON, Go benchmark text or a page. It measures
// nothing and is independent of the measurements. [Clean] has cleaned all text that it gets.
//
// A new format is one file here and one entry in [Formats].
package render

import (
	"io"
	"slices"

	"github.com/timebench/timebench/internal/diff"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/show/printable"
)

// Clean returns a copy whose texts have no terminal control characters or line breaks. All content of files and
// machines passes it once, before any format gets it.
func Clean[T any](of T) T { return printable.All(of, printable.Line) }

// A Format is a way to write a document or a diff.
type Format[T any] struct {
	Name  string
	Write func(io.Writer, T) error
	// Whole also writes the parts that Write shortens; nil if Write shortens nothing.
	Whole func(io.Writer, T) error
	// Check is the output of a health check; nil if the format is not for health checks.
	Check *Check
}

// Formats are the formats of a document, the default first.
var Formats = []Format[*result.Document]{
	{Name: "table", Write: as(Report.Text, OfDocument), Whole: as(Report.Whole, OfDocument)},
	{Name: "markdown", Write: as(plainMarkdown, OfDocument)},
	{Name: "csv", Write: CSV},
	{Name: "json", Write: func(w io.Writer, d *result.Document) error { return d.Write(w) }},
	{Name: "bench", Write: Bench},
	{Name: "html", Write: as(Report.HTML, OfDocument)},
	{Name: "prometheus", Write: Prometheus},
}

// FormatsOf returns the formats of a command that measures this section: bench and prometheus only if the section has
// samples and metrics.
func FormatsOf(s result.Section) []Format[*result.Document] {
	_, sampled := s.(section.Sampled)
	_, metered := s.(section.Metered)
	return slices.DeleteFunc(slices.Clone(Formats), func(f Format[*result.Document]) bool {
		return f.Name == "bench" && !sampled || f.Name == "prometheus" && !metered
	})
}

// DiffFormats are the formats of a diff, the default first.
var DiffFormats = []Format[*diff.Diff]{
	{Name: "table", Write: as(Report.Text, OfDiff), Whole: as(Report.Whole, OfDiff)},
	{Name: "markdown", Write: as(plainMarkdown, OfDiff)},
	{Name: "csv", Write: DiffCSV},
	{Name: "json", Write: JSON[*diff.Diff]},
	{Name: "bench", Write: DiffBench},
	{Name: "html", Write: as(Report.HTML, OfDiff)},
}

// JSON writes the whole of a diff or a fleet.
func JSON[T interface{ JSON() ([]byte, error) }](w io.Writer, of T) error {
	text, err := of.JSON()
	if err != nil {
		return err
	}
	return result.WriteIndented(w, text)
}

// Named returns the format of that name, and whether it exists.
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
