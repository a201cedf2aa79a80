// Package section defines what each measurement provides: its section in a document, with its
// texts, tables and pictures. The document, the formats and the comparison of two documents
// use it and know no measurement by name.
package section

import (
	"github.com/timebench/timebench/internal/picture"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/table"
)

// A Section is the result of a measurement in a document, and how it is shown.
type Section interface {
	result.Section
	// Fact returns how it was measured, for the lines above the tables. d is the document
	// with the section.
	Fact(d *result.Document) table.Fact
	// Block returns its tables and sentences.
	Block(d *result.Document) table.Block
	// Lines returns it as CSV, the header first; the cells are not escaped.
	Lines(d *result.Document) [][]string
}

// A Sampled is a Section with samples that benchstat can compare.
type Sampled interface {
	Samples() []Sample
}

// A Sample is a line in the Go benchmark format.
type Sample struct {
	// Name is the name of the benchmark with its parameters: Latency/clock=RDTSC@cpu.
	Name      string
	NSPerRead float64
	// ReadsPerSecond is 0 for a latency sample.
	ReadsPerSecond float64
}

// A Kind is a measurement that adds a section to a document.
type Kind struct {
	result.Kind
	// Command is the timebench command that runs the measurement.
	Command string
	// Pictures are the pictures of a document with the section.
	Pictures []picture.Chart[*result.Document]
	// Compare returns what changed between two documents. At most one of the sections is nil.
	Compare func(old, new result.Section) Comparison
}

// In returns the sections of a document in order. It omits empty ones if another is not
// empty: every document has the keys of an inline section.
func In(d *result.Document) []Section {
	var all, full []Section
	for _, s := range d.Sections {
		shown, ok := s.(Section)
		if !ok {
			continue
		}
		all = append(all, shown)
		if may, ok := s.(interface{ Empty() bool }); !ok || !may.Empty() {
			full = append(full, shown)
		}
	}
	if len(full) == 0 {
		return all
	}
	return full
}

// Comparing returns the Compare of a [Kind] with sections of type S. compare gets nil for a
// section that a document lacks.
func Comparing[S Section](compare func(old, new S) Comparison) func(old, new result.Section) Comparison {
	return func(old, new result.Section) Comparison {
		before, _ := old.(S)
		after, _ := new.(S)
		return compare(before, after)
	}
}
