// Package diff holds two result documents against each other: what changed, by
// how much, and whether that is beyond noise. It measures nothing and words
// nothing.
//
// What disturbs a machine makes reads slower and never faster, and may do so for nearly
// all of a run. So a verdict goes by what reads cost in a run's quiet moments, and takes
// three things, since each alone is wrong too often on real machines (docs/diff.md has
// the experiment):
//
//   - the Mann-Whitney U test says that the samples differ, or their quickest slices, or the
//     quieter half of both runs together, corrected for how many comparisons are made (Holm);
//   - the quiet costs differ by Least or more: two runs of one program on one machine
//     differ by real but meaningless amounts, such as where its memory came to lie;
//   - they do so whatever the runs leave open: a run may have seen no quiet moment, which its
//     samples tell, or one part of it alone was quick.
//
// Where the medians or the quiet costs differ by much and the rest does not hold, it is the
// run that changed while it lasted: such a figure is unsteady, and not the same.
package diff

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/stats"
	"gonum.org/v1/gonum/stat/distuv"
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
	// Lost are the figures of the old document that the new one does not have, of clocks
	// that it has: "CLOCK_MONOTONIC@vdso with 2 threads".
	Lost []string `json:"lost,omitempty"`
	// Sections are those that either document has. In JSON each stands under its key, behind
	// those above.
	Sections []Section `json:"-"`
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
	Slower   Verdict = "slower"
	Faster   Verdict = "faster"
	Unsteady Verdict = "unsteady" // it differs by much, and so does one of the runs from itself
	Same     Verdict = "same"     // no difference beyond noise
	TooFew   Verdict = "too few"  // too few samples to tell anything
)

const (
	// parts is how many parts of a run are held against each other.
	parts = 5
	// settled is the share of the samples of throughput whose spread is their noise: they are
	// few, and come from few moments.
	settled = 0.5
	// unsteadyFrom is the least change, as a factor, that is called unsteady: noise of
	// the usual size is not worth a word.
	unsteadyFrom = 1.1
	// crowded is the factor up to which neighbours alone change what threads on every CPU
	// get done, for as long as a run lasts: one that takes half of each CPU, and a bit.
	crowded = 3
)

// A Change is one figure in both documents.
type Change struct {
	Clock string `json:"clock"`
	// ClockSource is there where the figure is from an experiment with another clock
	// source than the machine's own.
	ClockSource string `json:"clocksource,omitempty"`
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
	// Quiet is the change of the cost in quiet moments, new/old - 1: what the verdict goes by.
	Quiet float64 `json:"quiet_change"`
	// P is corrected for the number of comparisons.
	P       float64 `json:"p"`
	Verdict Verdict `json:"verdict"`
}

// Name is the clock, and the clock source of an experiment.
func (c Change) Name() string { return named(c.Clock, c.ClockSource) }

func named(clock, source string) string {
	if source == "" {
		return clock
	}
	return clock + " under " + source
}

// Figure is the name with the number of threads.
func (c Change) Figure() string { return figure(c.Name(), c.Threads) }

func figure(name string, threads int) string {
	switch threads {
	case 0:
		return name
	case 1:
		return name + " with 1 thread"
	}
	return fmt.Sprintf("%s with %d threads", name, threads)
}

// Compare holds new against old.
func Compare(old, new Side, s Settings) *Diff {
	d := &Diff{Schema: Schema, Old: old, New: new, Settings: s, Setup: append(setup(old.Document, new.Document), resolutions(old.Document, new.Document)...), Changes: []Change{}}
	before, after := series(old.Document), series(new.Document)
	var pairs []pair
	for _, b := range before {
		i := slices.IndexFunc(after, b.same)
		if i >= 0 {
			pairs = append(pairs, newPair(b, after[i]))
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
	d.Lost = lost(before, after)
	d.sections(old.Document, new.Document)
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
	source  string // the clock source of an experiment; "" for the machine's own
	threads int
	ns      []float64
	// quiet are the quickest slices of the samples, as many, where there are any.
	quiet []float64
	// crowded says that other programs had a part of the CPUs that the threads needed.
	crowded bool
}

func (s sequence) same(other sequence) bool {
	return s.name() == other.name() && s.threads == other.threads
}

func (s sequence) name() string { return named(s.clock, s.source) }

// taking are the warnings that say that the CPUs were not the process's alone.
var taking = []string{"load", "steal", "quota"}

// series are the sequences of a document, each with a sample or more.
func series(d *result.Document) []sequence {
	cpus := d.Host.CPU.Usable
	all := sequences("", d.Clocks, fewest(d.Warnings, cpus))
	for _, e := range d.OtherClockSources {
		all = append(all, sequences(e.ClockSource, e.Clocks, fewest(e.Warnings, cpus))...)
	}
	// A sample of nothing, or one of no reads at all, has no ratio to another.
	return slices.DeleteFunc(all, func(s sequence) bool {
		return len(s.ns) == 0 || slices.Min(s.ns) <= 0 || math.IsInf(slices.Max(s.ns), 0)
	})
}

// fewest is from how many threads on they need CPUs that others had a part of: every CPU,
// and where nobody took any, more than there can be.
func fewest(warnings []result.Warning, cpus int) int {
	if slices.ContainsFunc(warnings, func(w result.Warning) bool { return slices.Contains(taking, w.Kind) }) {
		return max(1, cpus)
	}
	return math.MaxInt
}

func sequences(source string, clocks []result.Clock, crowdedFrom int) []sequence {
	var all []sequence
	for _, c := range clocks {
		if !c.Available {
			continue
		}
		if c.Latency != nil {
			all = append(all, sequence{clock: c.ID, source: source, ns: c.Latency.SamplesNS, quiet: c.Latency.QuietSamplesNS})
		}
		for _, t := range c.Throughput {
			s := sequence{clock: c.ID, source: source, threads: t.Threads, crowded: t.Threads >= crowdedFrom}
			for _, perSecond := range t.SamplesReadsPerSecond {
				s.ns = append(s.ns, float64(t.Threads)*1e9/perSecond)
			}
			all = append(all, s)
		}
	}
	return all
}

type pair struct {
	old, new sequence
	// quickest says that both sides have the quickest slices of their samples. Where either
	// has none the quiet samples of both are the samples.
	quickest bool
}

func newPair(old, new sequence) pair {
	p := pair{old, new, old.hasQuiet() && new.hasQuiet()}
	if !p.quickest {
		p.old.quiet, p.new.quiet = old.ns, new.ns
	}
	return p
}

// hasQuiet says that there are quiet samples of which a ratio can be made.
func (s sequence) hasQuiet() bool { return len(s.quiet) > 0 && slices.Min(s.quiet) > 0 }

// change is what can be told before the correction: all but P, and the verdict
// only where it needs no P. hardest is the p that the first of all comparisons
// must fall below.
func (p pair) change(hardest float64) (c Change, chance float64) {
	old, new := stats.Median(p.old.ns), stats.Median(p.new.ns)
	c = Change{
		Clock: p.old.clock, ClockSource: p.old.source, Threads: p.old.threads, OldNS: old, NewNS: new,
		Change: new/old - 1, Quiet: level(p.new.quiet)/level(p.old.quiet) - 1,
	}
	if low, high, ok := stats.Ratio(p.old.ns, p.new.ns); ok {
		c.Low, c.High, c.Confidence = low-1, high-1, stats.Wanted
	}
	// With so many looks each must be as many times surer.
	looks := 2.0
	if p.quickest {
		looks = 3
	}
	chance, enough := stats.Differ(p.old.ns, p.new.ns, hardest/looks)
	if !enough {
		c.Verdict = TooFew
	}
	if p.quickest {
		quiet, _ := stats.Differ(p.old.quiet, p.new.quiet, hardest/looks)
		chance = min(chance, quiet)
	}
	if calm, enough := p.calm(hardest / looks); enough {
		chance = min(chance, calm)
	}
	return c, min(1, looks*chance)
}

// calm tests the lower half of both runs' quiet samples together, of which a disturbance
// that lasted for half of either leaves enough. Where nothing changed, each order of the
// old's and the new's among them is as likely as any other, however many each has there: so
// the test is as good as one of all.
func (p pair) calm(hardest float64) (chance float64, enough bool) {
	half := stats.Quantile(0.5, slices.Concat(p.old.quiet, p.new.quiet))
	below := func(ns []float64) []float64 {
		return slices.DeleteFunc(slices.Clone(ns), func(sample float64) bool { return sample > half })
	}
	old, new := below(p.old.quiet), below(p.new.quiet)
	if len(old) == 0 || len(new) == 0 {
		return 1, false
	}
	return stats.Differ(old, new, hardest)
}

// verdict needs the corrected P of the change.
func (p pair) verdict(c Change, s Settings) Verdict {
	// As logarithms, twice as dear is as far away as half as dear.
	size := math.Abs(math.Log1p(c.Quiet))
	crowd := (p.old.crowded || p.new.crowded) && size < math.Log(crowded)
	switch {
	case c.P > s.Alpha:
		return Same
	case crowd || size < p.needed(s.Least):
		if max(size, math.Abs(math.Log1p(c.Change))) < math.Log(unsteadyFrom) {
			return Same
		}
		return Unsteady
	case c.Quiet > 0:
		return Slower
	default:
		return Faster
	}
}

// level is what reads cost in the quietest moments: the second of the samples, since one that
// is too low by accident must decide nothing.
func level(ns []float64) float64 {
	sorted := slices.Sorted(slices.Values(ns))
	return sorted[min(1, len(sorted)-1)]
}

// needed is the change, as a logarithm, that is told: least, whatever the runs leave open.
func (p pair) needed(least float64) float64 {
	if p.old.threads > 0 {
		return math.Log1p(least) + max(spread(p.old.quiet), spread(p.new.quiet))
	}
	lower, higher := p.old.quiet, p.new.quiet
	if level(lower) > level(higher) {
		lower, higher = higher, lower
	}
	// What makes the lower level too high or the higher too low makes the change larger.
	return math.Log1p(least) + max(above(higher), repeated(lower))
}

// spread is how far the samples of throughput lie apart, as a logarithm.
func spread(ns []float64) float64 { return math.Log(stats.Quantile(settled, ns) / slices.Min(ns)) }

// above bounds, as a logarithm, how far the level lies above the cost that no sample falls
// below, where they lie evenly above it: the level is less than a share of the way from
// there to the k-th sample above it, which is distributed as Beta(2, k), but for a probability
// of doubt. A neighbour that never rests, and adds as much to every sample, is not seen.
func above(ns []float64) float64 {
	const doubt, low = 0.05, 0.1
	sorted := slices.Sorted(slices.Values(ns))
	k := min(max(1, int(low*float64(len(sorted)))), len(sorted)-2)
	if k < 1 {
		return math.Inf(1)
	}
	share := distuv.Beta{Alpha: 2, Beta: float64(k)}.Quantile(1 - doubt)
	return share / (1 - share) * math.Log(sorted[k+1]/sorted[1])
}

// repeated is how far the levels of the two quietest parts of a run are apart, as a
// logarithm: what was seen in one part alone is not repeated even within the run.
func repeated(ns []float64) float64 {
	levels := make([]float64, 0, parts)
	for i := range parts {
		if part := ns[i*len(ns)/parts : (i+1)*len(ns)/parts]; len(part) > 0 {
			levels = append(levels, level(part))
		}
	}
	slices.Sort(levels)
	return math.Log(levels[min(1, len(levels)-1)] / levels[0])
}

// only lists the clocks that have figures in one document and none in the other.
func only(in, notIn []sequence) []string {
	var ids []string
	for _, s := range in {
		if !has(notIn, s.name()) && !slices.Contains(ids, s.name()) {
			ids = append(ids, s.name())
		}
	}
	return ids
}

// lost lists the figures that after does not have, of clocks that it has.
func lost(before, after []sequence) []string {
	var figures []string
	for _, s := range before {
		if has(after, s.name()) && !slices.ContainsFunc(after, s.same) {
			name := figure(s.name(), s.threads)
			if s.threads == 0 {
				name = "the latency of " + name
			}
			figures = append(figures, name)
		}
	}
	return figures
}

func has(all []sequence, name string) bool {
	return slices.ContainsFunc(all, func(s sequence) bool { return s.name() == name })
}

// Latencies are the changes of latency, in the order of the documents.
func (d *Diff) Latencies() []Change {
	return d.having(func(c Change) bool { return c.Threads == 0 })
}

// Throughputs are those of the wall time of a read while several threads read.
func (d *Diff) Throughputs() []Change {
	return d.having(func(c Change) bool { return c.Threads > 0 })
}

// Untold are the figures with too few samples for a verdict.
func (d *Diff) Untold() []Change {
	return d.having(func(c Change) bool { return c.Verdict == TooFew })
}

// SlowerThan are the figures that are slower by more than the share.
func (d *Diff) SlowerThan(share float64) []Change {
	return d.having(func(c Change) bool { return c.Verdict == Slower && c.Quiet > share })
}

// UnsteadyAbove are the unsteady figures whose median or quiet cost rose by more than the
// share.
func (d *Diff) UnsteadyAbove(share float64) []Change {
	return d.having(func(c Change) bool { return c.Verdict == Unsteady && max(c.Change, c.Quiet) > share })
}

func (d *Diff) having(property func(Change) bool) []Change {
	var some []Change
	for _, c := range d.Changes {
		if property(c) {
			some = append(some, c)
		}
	}
	return some
}
