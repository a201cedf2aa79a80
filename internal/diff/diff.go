// Package diff compares two result documents: the machines, the tools, the settings, and each section. The sections
// compare themselves; internal/measurement/compare judges the costs of clocks. This package measures nothing.
package diff

import (
	"bytes"
	"fmt"
	"path/filepath"
	"time"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/sections"
	"github.com/timebench/timebench/internal/show/picture"
)

// Schema is the schema of a Diff as JSON.
const Schema = "timebench-diff/1"

// A Diff is what differs between two documents.
type Diff struct {
	Schema   string           `json:"schema"`
	Old      Side             `json:"old"`
	New      Side             `json:"new"`
	Settings section.Settings `json:"settings"`
	// Setup is the differences between the machines, tools and settings.
	Setup []Difference `json:"setup"`
	// Sections are the sections that either document has, with their keys in JSON.
	Sections []Section `json:"-"`
}

// A Side is one of the two documents.
type Side struct {
	File        string    `json:"file"`
	GeneratedAt time.Time `json:"generated_at"`
	// Labels are the labels of the run, Noise the kinds of its warnings.
	Labels   []string         `json:"labels,omitempty"`
	Noise    []string         `json:"noise,omitempty"`
	Document *result.Document `json:"-"`
}

// Read returns the side of a document that was loaded from a file.
func Read(file string, d *result.Document) Side {
	s := Side{File: file, GeneratedAt: d.GeneratedAt, Labels: d.Labels, Document: d}
	for _, w := range d.Warnings {
		s.Noise = append(s.Noise, w.Kind)
	}
	return s
}

// ReadRuns returns the side of at least one run, loaded from files. An error names the run that is of another machine,
// was measured with other settings, or is given twice.
func ReadRuns(name string, files []string, runs []*result.Document) (Side, error) {
	text := map[string]string{}
	for i, run := range runs {
		var written bytes.Buffer
		if err := run.Write(&written); err != nil {
			return Side{}, fmt.Errorf("%s: %w", files[i], err)
		}
		if first, twice := text[written.String()]; twice {
			return Side{}, fmt.Errorf("%s: %s is the same run as %s; name each run once", name, files[i], first)
		}
		text[written.String()] = files[i]
	}
	for i, run := range runs[1:] {
		if d := unlike(runs[0], run); d != nil {
			return Side{}, fmt.Errorf("%s: its runs are not comparable: %s is %q in %s and %q in %s; compare runs of one machine with the same settings",
				name, d.What, d.Old, files[0], d.New, files[i+1])
		}
	}
	return Read(name, sections.Join(runs)), nil
}

// A Difference is a fact that differs between the documents.
type Difference section.Difference

// Compare returns what changed from old to new.
func Compare(old, new Side, s section.Settings) *Diff {
	d := &Diff{Schema: Schema, Old: old, New: new, Settings: s, Setup: append(setup(old.Document, new.Document),
		resolutions(old.Document, new.Document)...)}
	for _, kind := range sections.All {
		changed, ok := kind.Compare(old.Document, new.Document, s)
		if !ok {
			continue
		}
		for _, s := range changed.Settings {
			d.Setup = append(d.Setup, Difference(s))
		}
		d.Sections = append(d.Sections, Section{kind.Key(), changed})
	}
	return d
}

// A Section is what changed in one section of the documents.
type Section struct {
	// Key is the key of the section in a document, and of the changes in the JSON of a diff: see [result.Section].
	Key string
	section.Comparison
}

// Costs returns the changes of the costs of clocks, from all sections that measure costs.
func (d *Diff) Costs() *compare.Changes {
	all := &compare.Changes{}
	for _, s := range d.Sections {
		if of, ok := s.Value.(interface{ Costs() *compare.Changes }); ok {
			all.Add(of.Costs())
		}
	}
	return all
}

// Judged returns the names of the slower and the faster figures, and of the figures without a verdict.
func (d *Diff) Judged() (slower, faster, unjudged []string) {
	for _, c := range d.Costs().Changes {
		switch c.Verdict {
		case compare.Slower:
			slower = append(slower, c.Figure())
		case compare.Faster:
			faster = append(faster, c.Figure())
		case compare.Unsteady, compare.TooFew:
			unjudged = append(unjudged, c.Figure())
		}
	}
	return slower, faster, unjudged
}

// Count returns the number of figures of all sections that both documents have, and how many of them changed.
func (d *Diff) Count() (all, changed int) {
	for _, s := range d.Sections {
		of, differ := s.Value.Count()
		all, changed = all+of, changed+differ
	}
	return all, changed
}

// JSON returns the diff as JSON on one line.
func (d *Diff) JSON() ([]byte, error) {
	parts := []result.Keyed{{Value: d}}
	for _, s := range d.Sections {
		parts = append(parts, result.Keyed{Key: s.Key, Value: s.Value})
	}
	return result.Encode(false, parts...)
}

// Pictures are the pictures of a diff.
var Pictures = []picture.Chart[*Diff]{{
	Name: "change", Title: "Change of the latency of each clock",
	Subtitle: func(d *Diff) string {
		return filepath.Base(d.Old.File) + " → " + filepath.Base(d.New.File) + picture.AtMost(len(latencies(d)), "clocks")
	},
	Of: func(d *Diff) picture.Drawing { return compare.ChangeRows(latencies(d)) },
}}

func latencies(d *Diff) (all []compare.Change) {
	for _, s := range d.Sections {
		if of, ok := s.Value.(*compare.Changes); ok && s.Key == compare.Kind.Key() {
			all = of.Latencies()
		}
	}
	return all
}
