// Package section defines what each measurement provides: its section in a document, with its
// texts, tables and pictures. The document, the formats and the comparison of two documents
// use it and know no measurement by name.
package section

import (
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/exposition"
	"github.com/timebench/timebench/internal/show/picture"
	"github.com/timebench/timebench/internal/show/table"
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

// A Sampled is a Section with samples that benchstat can compare. d is the document with the section.
type Sampled interface {
	Samples(d *result.Document) []Sample
}

// A Sample is a line in the Go benchmark format.
type Sample struct {
	// Name is the name of the benchmark with its parameters: Latency/clock=RDTSC@cpu.
	Name      string
	NSPerRead float64
	// ReadsPerSecond is 0 for a latency sample.
	ReadsPerSecond float64
}

// A Metered is a Section with figures that Prometheus can collect.
type Metered interface {
	Metrics() []exposition.Family
}

// A Kind is a measurement that adds a section to a document.
type Kind struct {
	// New returns an empty section.
	New func() result.Section
	// Command is the timebench command that runs the measurement; "" for a section that other commands add.
	Command string
	// Pictures are the pictures of a document with the section.
	Pictures []picture.Chart[*result.Document]
	// Compare returns what changed between two documents; false if neither has the section.
	Compare func(old, new *result.Document, s Settings) (Comparison, bool)
	// Join merges the sections of several runs of a machine, with the samples of all; nil for a kind without samples.
	Join func(runs []result.Section) result.Section
}

// Key returns the key of its sections in a document.
func (k Kind) Key() string { return k.New().Key() }

// In returns the sections of a document in order. It omits empty sections unless all are empty: every document has the
// keys of costs.
func In(d *result.Document) []Section {
	var all []Section
	for _, s := range d.Sections {
		if shown, ok := s.(Section); ok {
			all = append(all, shown)
		}
	}
	if full := slices.DeleteFunc(slices.Clone(all), func(s Section) bool { return Empty(s) }); len(full) > 0 {
		return full
	}
	return all
}

// Empty reports whether a section has no measurement.
func Empty(s result.Section) bool {
	may, ok := s.(interface{ Empty() bool })
	return ok && may.Empty()
}

// Joining returns the Join of a [Kind] whose sections are of type S.
func Joining[S result.Section](join func(runs []S) S) func(runs []result.Section) result.Section {
	return func(runs []result.Section) result.Section {
		own := make([]S, len(runs))
		for i, run := range runs {
			own[i] = run.(S)
		}
		return join(own)
	}
}

// Comparing returns the Compare of a [Kind] whose sections are of type S. compare gets the sections if both documents
// have one. title is the block's title otherwise.
func Comparing[S Section](title string, compare func(old, new S) Comparison) func(old, new *result.Document,
	s Settings) (Comparison, bool) {
	return func(old, new *result.Document, _ Settings) (Comparison, bool) {
		var kind S
		before, after := old.Section(kind.Key()), new.Section(kind.Key())
		only := &Changes{}
		switch {
		case before != nil && after != nil:
			return compare(before.(S), after.(S)), true
		case before != nil:
			only.OnlyIn = InOld
		case after != nil:
			only.OnlyIn = InNew
		}
		return Comparison{Value: only, Block: table.Block{Title: title, Verdict: only.Absent()}}, only.OnlyIn != ""
	}
}

// Caption returns the line about the machine below the title of a picture, which has a row or a line for each of n
// things, such as clocks.
func Caption(d *result.Document, n int, things string) string {
	parts := []string{strings.TrimSpace(d.Host.OS + "/" + d.Host.Arch + " " + d.Host.Kernel)}
	if w := d.Host.Windows; w != nil && w.Wine != nil {
		parts = append(parts, "Wine "+w.Wine.Version+", not Windows")
	}
	if d.Host.CPU.Model != "" {
		parts = append(parts, d.Host.CPU.Model)
	}
	if v := d.Host.Virtualization; v != nil {
		parts = append(parts, v.System+" "+v.Role)
	}
	if s := d.Host.ClockSource; s != nil {
		parts = append(parts, "clock source "+s.Current)
	}
	parts = append(parts, "timebench "+d.Tool.Version)
	return strings.Join(parts, " · ") + picture.AtMost(n, things)
}
