// Package section is what a measurement brings with it so that every format, the
// comparison of two documents and the document itself can have it without knowing its name:
// the section that it leaves in a document, and its words, tables and pictures.
package section

import (
	"github.com/timebench/timebench/internal/picture"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/table"
)

// A Section is what a measurement leaves in a document, and how it is shown.
type Section interface {
	result.Section
	// Fact returns how it was measured, for the lines above the tables; d is the document
	// that holds it.
	Fact(d *result.Document) table.Fact
	// Block returns its tables and sentences.
	Block(d *result.Document) table.Block
	// Lines returns it as CSV, a header first, with cells as they are.
	Lines(d *result.Document) [][]string
}

// A Sampled is a Section with samples that benchstat can compare.
type Sampled interface {
	Samples() []Sample
}

// A Sample is a line of Go benchmark text.
type Sample struct {
	// Name is that of the benchmark, with its parameters: Latency/clock=RDTSC@cpu.
	Name      string
	NSPerRead float64
	// ReadsPerSecond is 0 where the sample is of latency.
	ReadsPerSecond float64
}

// A Kind is a measurement that leaves a section.
type Kind struct {
	result.Kind
	// Command is the command of timebench that measures it.
	Command string
	// Pictures are those of a document that holds it.
	Pictures []picture.Chart[*result.Document]
	// Compare returns what changed from one document to another. Either section may be
	// nil, and one is not.
	Compare func(old, new result.Section) Comparison
}

// In returns the sections of a document, in its order. One that is empty is left out where
// there is another: every document has the keys of an inline section.
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

// Comparing returns the Compare of a [Kind] whose sections are of type S. compare gets nil for
// a section that a document lacks.
func Comparing[S Section](compare func(old, new S) Comparison) func(old, new result.Section) Comparison {
	return func(old, new result.Section) Comparison {
		before, _ := old.(S)
		after, _ := new.(S)
		return compare(before, after)
	}
}
