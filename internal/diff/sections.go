package diff

import (
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/section"
	"github.com/timebench/timebench/internal/sections"
)

// A Section is what changed in one section of the documents.
type Section struct {
	// Key is that of the section in a document.
	Key string
	section.Comparison
}

// sections compares what the documents hold beside costs.
func (d *Diff) sections(old, new *result.Document) {
	for _, kind := range sections.All {
		if kind.Compare == nil { // costs are compared above
			continue
		}
		before, after := old.Section(kind.Key), new.Section(kind.Key)
		if before == nil && after == nil {
			continue
		}
		changed := Section{kind.Key, kind.Compare(before, after)}
		for _, s := range changed.Settings {
			d.Setup = append(d.Setup, Difference(s))
		}
		d.Sections = append(d.Sections, changed)
	}
}

// Compared counts the figures of all sections that both documents have.
func (d *Diff) Compared() int {
	n := 0
	for _, s := range d.Sections {
		n += len(s.Changes)
	}
	return n
}

// Changed counts those that changed.
func (d *Diff) Changed() int {
	n := 0
	for _, s := range d.Sections {
		n += s.Changed()
	}
	return n
}

// JSON returns the diff as JSON on one line.
func (d *Diff) JSON() ([]byte, error) {
	more := make([]result.Keyed, len(d.Sections))
	for i, s := range d.Sections {
		more[i] = result.Keyed{Key: s.Key, Value: s.Value}
	}
	return result.Encode(d, more, false)
}
