package compare

import (
	"math"
	"slices"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/instrument/stats"
)

// The smallest changes with a verdict, as shares, where [section.Settings] has no larger one. The
// experiment of docs/evidence/diff.md found them.
const (
	// fewRunsUserMode is how much the latency in user mode may differ between two runs of an unchanged machine, and
	// fewRuns how much other figures may: clocks that enter or may enter the kernel, the calls of languages, and
	// throughput. Five or more runs show their own spread.
	fewRunsUserMode, fewRuns = 0.04, 0.15
)

const (
	// contentionFactor is the ratio up to which other programs slow down threads on every CPU: half of
	// each CPU, and a bit more.
	contentionFactor = 3.0
	// unsteadyFrom is the ratio of the medians that shows that most reads changed: a busy program on the same core
	// makes reads up to twice as slow.
	unsteadyFrom = 2.0
	// contradictedFrom is the ratio of costs that is more than noise: a figure whose runs or samples contradict each
	// other by this ratio is not the same.
	contradictedFrom = 1.1
	// confidence is the confidence of the interval of a change: one in a hundred unchanged figures has a verdict.
	confidence = 0.99
	// fewestSamples is the number of samples that a figure needs on each side.
	fewestSamples = 5
)

// changesOf returns the changes from old to new. otherSpeed is whether the machine ran at another speed.
//
// A figure is slower or faster if its cost changed by the floor or more, and the confidence interval of the change
// excludes 0 %. With too few runs for an interval, each run of one side must cost more than each run of the other. The
// cost of a run is the lowest level of its samples, and the change is the Hodges-Lehmann estimate of the ratio of the
// runs' costs.
func changesOf(old, new []Subject, otherSpeed bool, s section.Settings) *Changes {
	before, after := figures(old), figures(new)
	d := &Changes{Changes: []Change{}}
	d.OnlyOld, d.Lost = lacking(before, after)
	d.OnlyNew, _ = lacking(after, before)
	section.Match(before, after, figure.text, func(f, of figure) {
		d.Changes = append(d.Changes, change(f, of, otherSpeed, s))
	})
	d.Comparisons = len(d.Changes)
	return d
}

// otherSpeed returns whether the CPUs of the machine ran at another speed in the new run, because of their frequency or
// a neighbour on the same core: then the cost of an empty call changes too.
func otherSpeed(old, new *result.Document) bool {
	before, after := old.Conditions, new.Conditions
	if before == nil || after == nil || before.FloorLowNS <= 0 || after.FloorLowNS <= 0 ||
		old.Host.CPU.Model != new.Host.CPU.Model {
		return false
	}
	return math.Abs(math.Log(after.FloorLowNS/before.FloorLowNS)) >= math.Log(contradictedFrom)
}

// change returns the change of a figure. speed is whether the machine ran at another speed.
func change(old, new figure, speed bool, s section.Settings) Change {
	before, after := old.runs, new.runs
	if old.quickest != nil && new.quickest != nil {
		before, after = old.quickest, new.quickest
	}
	c := Change{
		Subject: old.Name, ClockSource: old.ClockSource, Threads: old.threads, OldRuns: len(old.runs),
		NewRuns: len(new.runs),
		OldNS:   stats.Median(costsOf(before)), NewNS: stats.Median(costsOf(after)),
		MedianChange: stats.Median(new.samples())/stats.Median(old.samples()) - 1,
	}
	shift, low, high, ok := stats.HodgesLehmann(logarithms(costsOf(before)), logarithms(costsOf(after)), confidence)
	c.Change = math.Expm1(shift)
	if ok {
		c.Low, c.High, c.Confidence = math.Expm1(low), math.Expm1(high), confidence
	}
	c.Floor = floor(old, new, ok, s)
	differ := c.Low > 0 || c.High < 0
	contended, unsteady := old.contended() || new.contended(), false
	if !ok { // an interval shows by how much the runs differ
		differ = apart(costsOf(before), costsOf(after))
		contended = contended || speed || (old.loaded() || new.loaded()) && (!old.UserMode || !new.UserMode)
		unsteady = varied(before) || varied(after)
	}
	c.Verdict = c.verdict(min(len(old.samples()), len(new.samples())), differ, contended, unsteady)
	return c
}

// apart returns whether each run of a side costs more than each run of the other side.
func apart(old, new []float64) bool {
	return slices.Min(new) > slices.Max(old) || slices.Max(new) < slices.Min(old)
}

// varied returns whether a tenth of the samples of a run lie so far below its cost that the figure changed during the
// run.
func varied(runs [][]float64) bool {
	return slices.ContainsFunc(runs,
		func(run []float64) bool { return CostOf(run) >= contradictedFrom*stats.Quantile(0.1, run) })
}

// floor returns the smallest change of a figure that has a verdict. interval is whether there are enough runs for an
// interval.
func floor(old, new figure, interval bool, s section.Settings) float64 {
	switch {
	case interval:
		return s.MinChange
	case old.UserMode && new.UserMode && old.threads == 0:
		return max(s.MinChange, fewRunsUserMode)
	default:
		return max(s.MinChange, fewRuns)
	}
}

// verdict returns the verdict on a change. samples is the number of samples of the side with fewer. differ is whether
// the sides differ by more than the runs within a side, contended whether other programs used CPUs that the figure
// depends on, and unsteady whether the cost changed during a run.
func (c Change) verdict(samples int, differ, contended, unsteady bool) Verdict {
	size := math.Abs(math.Log1p(c.Change)) // twice the cost is as far away as half the cost
	switch {
	case samples < fewestSamples:
		return TooFew
	case size >= math.Log1p(c.Floor) && differ:
		switch {
		case contended && size < math.Log(contentionFactor), unsteady:
			return Unsteady
		case c.Change > 0:
			return Slower
		}
		return Faster
	case c.medianMoved(), size >= math.Max(math.Log(contradictedFrom), math.Log1p(c.Floor)):
		return Unsteady
	}
	return Same
}

func (c Change) medianMoved() bool {
	return math.Abs(math.Log1p(c.MedianChange)) >= math.Log(unsteadyFrom)
}

func (f figure) samples() []float64 { return slices.Concat(f.runs...) }

func logarithms(samples []float64) []float64 {
	logs := make([]float64, len(samples))
	for i, sample := range samples {
		logs[i] = math.Log(sample)
	}
	return logs
}
