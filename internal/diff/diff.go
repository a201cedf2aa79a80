// Package diff holds two result documents against each other: what changed, by
// how much, and whether that is beyond noise. It measures nothing and words
// nothing.
//
// A verdict takes four things, since each alone is wrong too often on real
// machines (docs/diff.md has the experiment):
//
//   - the Mann-Whitney U test says that the samples differ, corrected for how
//     many comparisons are made (Holm);
//   - the medians differ by Least or more: two runs of one program on one
//     machine differ by real but meaningless amounts, such as where its memory
//     came to lie;
//   - the least samples differ so too, and the same way: what disturbs a machine
//     makes reads slower and never faster, so a change of the clock moves the
//     least as well;
//   - both differ by more than noise had lifted either median above its least.
package diff

import (
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/stats"
)

// Schema names the form of a Diff as JSON.
const Schema = "timebench-diff/1"

// Settings are the choices of a comparison.
type Settings struct {
	// Alpha is how likely any verdict at all may be where nothing changed.
	Alpha float64 `json:"alpha"`
	// Least is the least change that counts, as a share: 0.02 is 2 %.
	Least float64 `json:"least_change"`
}

// A Diff is what differs between two documents.
type Diff struct {
	Schema   string   `json:"schema"`
	Old      Side     `json:"old"`
	New      Side     `json:"new"`
	Settings Settings `json:"settings"`
	// Comparisons is for how many comparisons the p values are corrected.
	Comparisons int `json:"comparisons"`
	// Setup is what differs between the machines, tools and settings.
	Setup   []Difference `json:"setup"`
	Changes []Change     `json:"changes"`
	// OnlyOld and OnlyNew are the clocks that were measured in one document
	// and not in the other.
	OnlyOld []string `json:"only_old,omitempty"`
	OnlyNew []string `json:"only_new,omitempty"`
	// Verification, Skew and Drift are there where either document has the part.
	Verification *Verification `json:"verification,omitempty"`
	Skew         *Skew         `json:"skew,omitempty"`
	Drift        *Drift        `json:"drift,omitempty"`
}

// A Side is one of the two documents.
type Side struct {
	File        string    `json:"file"`
	GeneratedAt time.Time `json:"generated_at"`
	// Noise is the kinds of warnings of the run.
	Noise    []string         `json:"noise,omitempty"`
	Document *result.Document `json:"-"`
}

// Read is the side of a document that was loaded from a file.
func Read(file string, d *result.Document) Side {
	s := Side{File: file, GeneratedAt: d.GeneratedAt, Document: d}
	for _, w := range d.Warnings {
		s.Noise = append(s.Noise, w.Kind)
	}
	return s
}

// A Difference is a fact that is not the same in both documents; "" where one
// does not have it.
type Difference struct {
	What string `json:"what"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

// A Verdict is what can be said of a change.
type Verdict string

// The verdicts.
const (
	Slower Verdict = "slower"
	Faster Verdict = "faster"
	Same   Verdict = "same"    // no difference beyond noise
	TooFew Verdict = "too few" // too few samples to tell anything
)

// A Change is one figure in both documents.
type Change struct {
	Clock string `json:"clock"`
	// Threads is the number of threads that read at once; 0 for latency.
	Threads int     `json:"threads,omitempty"`
	OldNS   float64 `json:"old_ns"`
	NewNS   float64 `json:"new_ns"`
	// Change is NewNS/OldNS - 1. Low and High bound it with at least the given
	// Confidence; all three are 0 where there are too few samples for that.
	Change     float64 `json:"change"`
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
	Confidence float64 `json:"confidence"`
	// P is corrected for the number of comparisons.
	P       float64 `json:"p"`
	Verdict Verdict `json:"verdict"`
}

// Compare holds new against old.
func Compare(old, new Side, s Settings) *Diff {
	d := &Diff{Schema: Schema, Old: old, New: new, Settings: s, Setup: setup(old.Document, new.Document), Changes: []Change{}}
	before, after := series(old.Document), series(new.Document)
	var pairs []pair
	for _, b := range before {
		i := slices.IndexFunc(after, b.same)
		if i >= 0 {
			pairs = append(pairs, pair{b, after[i]})
		}
	}
	d.Comparisons = len(pairs)
	var ps []float64
	for _, p := range pairs {
		// The first of all comparisons must fall below this.
		c, chance := p.change(s.Alpha / float64(len(pairs)))
		d.Changes = append(d.Changes, c)
		ps = append(ps, chance)
	}
	for i, corrected := range stats.Holm(ps) {
		c := &d.Changes[i]
		c.P = sixDigits(corrected)
		if c.Verdict == "" {
			c.Verdict = pairs[i].verdict(*c, s)
		}
	}
	d.OnlyOld, d.OnlyNew = only(before, after), only(after, before)
	d.parts(old.Document, new.Document)
	return d
}

// sixDigits drops the digits in which kinds of CPU differ.
func sixDigits(p float64) float64 {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(p, 'g', 6, 64), 64)
	return rounded
}

// A sequence is the samples of one figure of a clock, in wall nanoseconds of a
// read.
type sequence struct {
	clock   string
	threads int
	ns      []float64
}

func (s sequence) same(other sequence) bool {
	return s.clock == other.clock && s.threads == other.threads
}

// series are the sequences of a document, each with a sample or more.
func series(d *result.Document) []sequence {
	var all []sequence
	for _, c := range d.Clocks {
		if !c.Available {
			continue
		}
		if c.Latency != nil {
			all = append(all, sequence{c.ID, 0, c.Latency.SamplesNS})
		}
		for _, t := range c.Throughput {
			s := sequence{clock: c.ID, threads: t.Threads}
			for _, perSecond := range t.SamplesReadsPerSecond {
				s.ns = append(s.ns, float64(t.Threads)*1e9/perSecond)
			}
			all = append(all, s)
		}
	}
	// A sample of nothing, or one of no reads at all, has no ratio to another.
	return slices.DeleteFunc(all, func(s sequence) bool {
		return len(s.ns) == 0 || slices.Min(s.ns) <= 0 || math.IsInf(slices.Max(s.ns), 0)
	})
}

type pair struct{ old, new sequence }

// change is what can be told before the correction: all but P, and the verdict
// only where it needs no P. hardest is the p that the first of all comparisons
// must fall below.
func (p pair) change(hardest float64) (c Change, chance float64) {
	old, new := stats.Median(p.old.ns), stats.Median(p.new.ns)
	c = Change{Clock: p.old.clock, Threads: p.old.threads, OldNS: old, NewNS: new, Change: new/old - 1}
	if low, high, ok := stats.Ratio(p.old.ns, p.new.ns); ok {
		c.Low, c.High, c.Confidence = low-1, high-1, stats.Wanted
	}
	chance, enough := stats.Differ(p.old.ns, p.new.ns, hardest)
	if !enough {
		c.Verdict = TooFew
	}
	return c, chance
}

// verdict needs the corrected P of the change.
func (p pair) verdict(c Change, s Settings) Verdict {
	// As logarithms, twice as dear is as far away as half as dear.
	median, least := math.Log1p(c.Change), math.Log(slices.Min(p.new.ns)/slices.Min(p.old.ns))
	size := min(math.Abs(median), math.Abs(least))
	switch {
	case c.P > s.Alpha,
		math.Signbit(least) != math.Signbit(median),
		size < max(math.Log1p(s.Least), p.old.noise(), p.new.noise()):
		return Same
	case c.Change > 0:
		return Slower
	default:
		return Faster
	}
}

// noise is how far the median lies above the least, as a logarithm.
func (s sequence) noise() float64 { return math.Log(stats.Median(s.ns) / slices.Min(s.ns)) }

// only lists the clocks that have figures in one document and none in the other.
func only(in, notIn []sequence) []string {
	var ids []string
	for _, s := range in {
		there := slices.ContainsFunc(notIn, func(other sequence) bool { return other.clock == s.clock })
		if !there && !slices.Contains(ids, s.clock) {
			ids = append(ids, s.clock)
		}
	}
	return ids
}

// Latencies are the changes of latency, in the order of the documents.
func (d *Diff) Latencies() []Change {
	return slices.DeleteFunc(slices.Clone(d.Changes), func(c Change) bool { return c.Threads > 0 })
}

// Told reports whether there was a verdict on the latency of every clock, be it
// that nothing changed.
func (d *Diff) Told() bool {
	latencies := d.Latencies()
	return len(latencies) > 0 && !slices.ContainsFunc(latencies, func(c Change) bool { return c.Verdict == TooFew })
}

// SlowerThan lists the clocks of which a figure is slower by more than the share.
func (d *Diff) SlowerThan(share float64) []string {
	var ids []string
	for _, c := range d.Changes {
		if c.Verdict == Slower && c.Change > share && !slices.Contains(ids, c.Clock) {
			ids = append(ids, c.Clock)
		}
	}
	return ids
}
