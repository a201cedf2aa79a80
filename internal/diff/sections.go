package diff

import (
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/sections"
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
var Pictures = func() []picture.Chart[*Diff] {
	var all []picture.Chart[*Diff]
	for _, kind := range sections.All {
		for _, chart := range kind.ChangePictures {
			all = append(all, ofDiff(kind.Key, chart))
		}
	}
	return all
}()

// ofDiff returns a picture of what changed in a section as a picture of the diff.
func ofDiff(key string, chart picture.Chart[section.Compared]) picture.Chart[*Diff] {
	compared := func(d *Diff) (section.Compared, bool) {
		for _, s := range d.Sections {
			if s.Key == key {
				return section.Compared{OldName: d.Old.File, NewName: d.New.File, Value: s.Value}, true
			}
		}
		return section.Compared{}, false
	}
	of := func(d *Diff) section.Compared { c, _ := compared(d); return c }
	return picture.Chart[*Diff]{
		Name: chart.Name, Title: chart.Title,
		Drawable: func(d *Diff) bool { c, ok := compared(d); return ok && chart.Drawable(c) },
		Subtitle: func(d *Diff) string { return chart.Subtitle(of(d)) },
		Height:   func(d *Diff, width vg.Length) vg.Length { return chart.Height(of(d), width) },
		Draw:     func(c draw.Canvas, d *Diff) error { return chart.Draw(c, of(d)) },
	}
}
