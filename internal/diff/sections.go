package diff

import (
	"path/filepath"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/picture"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Section is what changed in one section of the documents.
type Section struct {
	// Key is the key of the section in a document, and of the changes in the JSON of a diff: see [result.Kind].
	Key string
	section.Comparison
}

// Costs returns what changed in the costs of clocks, of whatever sections measure costs.
func (d *Diff) Costs() *compare.Changes {
	all := &compare.Changes{}
	for _, s := range d.Sections {
		if of, ok := s.Value.(interface{ Costs() *compare.Changes }); ok {
			all.Add(of.Costs())
		}
	}
	return all
}

// Count returns the number of figures of all sections that both documents have, and of those that changed.
func (d *Diff) Count() (all, changed int) {
	for _, s := range d.Sections {
		of, differ := s.Value.Count()
		all, changed = all+of, changed+differ
	}
	return all, changed
}

// JSON returns the diff as JSON on one line.
func (d *Diff) JSON() ([]byte, error) {
	parts := make([]result.Keyed, len(d.Sections))
	for i, s := range d.Sections {
		parts[i] = result.Keyed{Key: s.Key, Value: s.Value}
	}
	return result.Encode(d, parts, false)
}

// Pictures are the pictures of a diff.
var Pictures = []picture.Chart[*Diff]{{
	Name: "change", Title: "Change of the latency of each clock",
	Drawable: func(d *Diff) bool { return len(latencies(d)) > 0 },
	Subtitle: func(d *Diff) string {
		return filepath.Base(d.Old.File) + " → " + filepath.Base(d.New.File) + picture.AtMost(len(latencies(d)))
	},
	Height: func(d *Diff, width vg.Length) vg.Length {
		return picture.RowsHeight(len(picture.Shown(latencies(d))), width)
	},
	Draw: func(c draw.Canvas, d *Diff) error {
		compare.DrawChanges(c, latencies(d))
		return nil
	},
}}

// latencies returns the changes of the latency of clocks.
func latencies(d *Diff) (all []compare.Change) {
	for _, s := range d.Sections {
		if of, ok := s.Value.(*compare.Changes); ok && s.Key == compare.Kind.Key {
			all = of.Latencies()
		}
	}
	return all
}
