// Package diff compares two result documents: it matches their figures, and asks the statistics
// of internal/stats for a verdict on each. It measures nothing and words nothing.
//
// Whatever disturbs a machine makes reads slower and never faster, and may do so for nearly all
// of a run. So the quiet cost decides, what a read costs while nothing disturbs the CPU. A figure
// is slower or faster if three conditions hold, since each alone is wrong too often on real
// machines (docs/diff.md has the experiment):
//
//   - the Mann-Whitney U test says that the quickest slices differ, or their lower half,
//     corrected for these two tests (Bonferroni) and the number of figures (Holm);
//   - the quiet costs differ by Settings.Least or more: two runs of one program on one machine
//     differ by real but meaningless amounts, depending on where its memory lies for example;
//   - they do so by more than the uncertainty of either run: a run may have seen no quiet moment,
//     or only one of its blocks was that fast.
//
// If the medians or the quiet costs differ by much and the other conditions do not hold, then a
// run changed while it lasted: the figure is unsteady, and not the same.
package diff

import (
	"slices"
	"strconv"
	"time"

	"github.com/timebench/timebench/internal/result"
)

// Schema is the schema of a Diff as JSON.
const Schema = "timebench-diff/1"

// Settings are the choices of a comparison.
type Settings struct {
	// Alpha is the family-wise false-positive rate of all figures together.
	Alpha float64 `json:"alpha"`
	// Least is the smallest change that counts, as a share: 0.02 is 2 %.
	Least float64 `json:"least_change"`
}

// A Diff is what differs between two documents.
type Diff struct {
	Schema   string   `json:"schema"`
	Old      Side     `json:"old"`
	New      Side     `json:"new"`
	Settings Settings `json:"settings"`
	// Comparisons is the number of comparisons for which the p values are corrected.
	Comparisons int `json:"comparisons"`
	// Setup is the differences between the machines, tools and settings.
	Setup   []Difference `json:"setup"`
	Changes []Change     `json:"changes"`
	// OnlyOld and OnlyNew are the clocks that only one document has.
	OnlyOld []string `json:"only_old,omitempty"`
	OnlyNew []string `json:"only_new,omitempty"`
	// Lost are the figures that the new document lacks, of clocks that it has:
	// "CLOCK_MONOTONIC@vdso with 2 threads".
	Lost []string `json:"lost,omitempty"`
	// Sections are those that either document has. In JSON each has its own key, after those
	// above.
	Sections []Section `json:"-"`
}

// A Side is one of the two documents.
type Side struct {
	File        string    `json:"file"`
	GeneratedAt time.Time `json:"generated_at"`
	// Noise is the kinds of the run's warnings.
	Noise    []string         `json:"noise,omitempty"`
	Document *result.Document `json:"-"`
}

// Read returns the side of a document that was loaded from a file.
func Read(file string, d *result.Document) Side {
	s := Side{File: file, GeneratedAt: d.GeneratedAt, Document: d}
	for _, w := range d.Warnings {
		s.Noise = append(s.Noise, w.Kind)
	}
	return s
}

// A Difference is a fact that differs between the documents; "" if one does not have it.
type Difference struct {
	What string `json:"what"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

// Compare returns what changed from old to new.
func Compare(old, new Side, s Settings) *Diff { return allRules.compare(old, new, s) }

func (r rules) compare(old, new Side, s Settings) *Diff {
	d := &Diff{Schema: Schema, Old: old, New: new, Settings: s, Setup: append(setup(old.Document, new.Document), resolutions(old.Document, new.Document)...)}
	before, after := figures(old.Document), figures(new.Document)
	var pairs []pair
	for _, f := range before {
		if i := slices.IndexFunc(after, f.same); i >= 0 {
			pairs = append(pairs, newPair(f, after[i]))
		}
	}
	d.Comparisons = len(pairs)
	d.Changes = r.changes(pairs, s)
	d.OnlyOld, d.OnlyNew = only(before, after), only(after, before)
	d.Lost = lost(before, after)
	d.sections(old.Document, new.Document)
	return d
}

// sixDigits returns p without the digits in which kinds of CPU differ.
func sixDigits(p float64) float64 {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(p, 'g', 6, 64), 64)
	return rounded
}
