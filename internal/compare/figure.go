package compare

import (
	"math"
	"slices"

	"github.com/timebench/timebench/internal/result"
)

// A figure is the samples of one cost of a clock, in wall ns/read.
type figure struct {
	clock   string
	source  string // the clock source of an experiment; "" for the machine's own
	threads int
	samples []float64
	// quickest is the quickest slice of each sample; empty where slices were not kept.
	quickest []float64
	// contended is whether other programs took part of the CPUs that the threads needed.
	contended bool
}

func (f figure) name() string { return clockName(f.clock, f.source) }

// hasQuickest returns whether there are quickest slices with a ratio to others.
func (f figure) hasQuickest() bool { return len(f.quickest) > 0 && slices.Min(f.quickest) > 0 }

// figures returns the figures of a document, each with at least one sample.
func figures(d *result.Document) []figure {
	cpus := d.Host.CPU.Usable
	all := figuresUnder("", Of(d).Clocks, contendedFrom(d.Warnings, cpus))
	for _, e := range Of(d).OtherClockSources {
		all = append(all, figuresUnder(e.ClockSource, e.Clocks, contendedFrom(e.Warnings, cpus))...)
	}
	return slices.DeleteFunc(all, func(f figure) bool { return !f.hasRatio() })
}

// hasRatio returns whether there are samples with a ratio to others, as one of 0 ns, or of no reads,
// has none.
func (f figure) hasRatio() bool {
	return len(f.samples) > 0 && slices.Min(f.samples) > 0 && !math.IsInf(slices.Max(f.samples), 0)
}

// latencyFigure returns the figure of a clock's latency.
func latencyFigure(source string, c Clock) figure {
	return figure{clock: c.ID, source: source, samples: c.Latency.SamplesNS, quickest: c.Latency.QuietSamplesNS}
}

// contention are the warnings of runs that did not have the CPUs for themselves.
var contention = []string{"load", "steal", "quota"}

// contendedFrom returns the number of threads from which on their CPUs were contended: all CPUs
// of a run with a warning of contention, and no number of threads of another.
func contendedFrom(warnings []result.Warning, cpus int) int {
	if slices.ContainsFunc(warnings, func(w result.Warning) bool { return slices.Contains(contention, w.Kind) }) {
		return max(1, cpus)
	}
	return math.MaxInt
}

func figuresUnder(source string, clocks []Clock, contendedFrom int) []figure {
	var all []figure
	for _, c := range clocks {
		if !c.Available {
			continue
		}
		if c.Latency != nil {
			all = append(all, latencyFigure(source, c))
		}
		for _, t := range c.Throughput {
			f := figure{clock: c.ID, source: source, threads: t.Threads, contended: t.Threads >= contendedFrom}
			for _, perSecond := range t.SamplesReadsPerSecond {
				f.samples = append(f.samples, float64(t.Threads)*1e9/perSecond)
			}
			all = append(all, f)
		}
	}
	return all
}

// An index finds the figures of a document. It compares none with another: a document may have a
// hundred thousand.
type index struct {
	figures map[figureID]figure
	clocks  map[string]bool
}

// A figureID is what identifies a figure in its document.
type figureID struct {
	name    string
	threads int
}

func (f figure) id() figureID { return figureID{f.name(), f.threads} }

func indexOf(all []figure) index {
	i := index{map[figureID]figure{}, map[string]bool{}}
	for _, f := range all {
		i.figures[f.id()], i.clocks[f.name()] = f, true
	}
	return i
}

// only returns the clocks that have figures in one document and none in the other.
func only(in []figure, notIn index) []string {
	var ids []string
	seen := map[string]bool{}
	for _, f := range in {
		if name := f.name(); !notIn.clocks[name] && !seen[name] {
			ids, seen[name] = append(ids, name), true
		}
	}
	return ids
}

// lost returns the names of the figures that after lacks, of clocks that it has.
func lost(before []figure, after index) []string {
	var names []string
	for _, f := range before {
		if _, found := after.figures[f.id()]; found || !after.clocks[f.name()] {
			continue
		}
		name := figureName(f.name(), f.threads)
		if f.threads == 0 {
			name = "the latency of " + name
		}
		names = append(names, name)
	}
	return names
}
