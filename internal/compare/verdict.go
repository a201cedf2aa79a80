package compare

import (
	"math"
	"strconv"

	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/section"
	"github.com/timebench/timebench/internal/stats"
)

// compare returns what changed from old to new.
func (r rules) compare(old, new *result.Document, s section.Settings) *Changes {
	before, after := figures(old), figures(new)
	ofOld, ofNew := indexOf(before), indexOf(after)
	var pairs []pair
	for _, f := range before {
		if other, found := ofNew.figures[f.id()]; found {
			pairs = append(pairs, newPair(f, other))
		}
	}
	return &Changes{
		Comparisons: len(pairs), Changes: r.changes(pairs, s),
		OnlyOld: only(before, ofNew), OnlyNew: only(after, ofOld), Lost: lost(before, ofNew),
	}
}

// sixDigits returns a value without the digits in which kinds of CPU differ.
func sixDigits(value float64) float64 {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(value, 'g', 6, 64), 64)
	return rounded
}

// A pair is one figure of both documents.
type pair struct{ old, new figure }

// newPair returns the pair of two figures. If either has no quickest slices, the samples of both
// take their place.
func newPair(old, new figure) pair {
	if !old.hasQuickest() || !new.hasQuickest() {
		old.quickest, new.quickest = old.samples, new.samples
	}
	return pair{old, new}
}

// changes returns the changes of all pairs.
func (r rules) changes(pairs []pair, s section.Settings) []Change {
	all := []Change{}
	var ps []float64
	for _, p := range pairs {
		// Holm's method compares the smallest p with this.
		c, chance := r.change(p, s.Alpha/float64(len(pairs)))
		all = append(all, c)
		ps = append(ps, chance)
	}
	for i, adjusted := range r.adjust(ps) {
		c := &all[i]
		c.P = sixDigits(adjusted)
		if c.Verdict == "" {
			c.Verdict = r.verdict(pairs[i], *c, s)
		}
	}
	return all
}

// change returns the change without P, and with a verdict only if there are too few samples for
// one; and the p value before the correction for the number of figures.
func (r rules) change(p pair, alpha float64) (c Change, chance float64) {
	old, new := stats.Median(p.old.samples), stats.Median(p.new.samples)
	quietOld, quietNew := r.quietCost(p.old.quickest), r.quietCost(p.new.quickest)
	c = Change{
		Clock: p.old.clock, ClockSource: p.old.source, Threads: p.old.threads, OldNS: old, NewNS: new, QuietOldNS: quietOld, QuietNewNS: quietNew,
		Change: new/old - 1, Quiet: quietNew/quietOld - 1,
	}
	if uncertainty := r.uncertainty(p); !math.IsInf(uncertainty, 0) {
		low, high := sixDigits(quietNew/quietOld*math.Exp(-uncertainty)-1), sixDigits(quietNew/quietOld*math.Exp(uncertainty)-1)
		c.QuietLow, c.QuietHigh = &low, &high
	}
	if low, high, ok := stats.MedianRatio(p.old.samples, p.new.samples); ok {
		c.Low, c.High, c.Confidence = low-1, high-1, stats.Wanted
	}
	ps := make([]float64, len(r.tests))
	for i, test := range r.tests {
		old, new := test(p.old.quickest, p.new.quickest)
		chance, enough := stats.MannWhitney(old, new, alpha/float64(len(r.tests)))
		ps[i] = chance
		if i == 0 && !enough {
			c.Verdict = TooFew
		}
	}
	return c, r.combine(ps...)
}

// verdict returns the verdict on a change whose P is corrected already.
func (r rules) verdict(p pair, c Change, s section.Settings) Verdict {
	// As logarithms, twice the cost is as far away as half the cost.
	size := math.Abs(math.Log1p(c.Quiet))
	contended := (p.old.contended || p.new.contended) && size < math.Log(r.contentionFactor)
	switch {
	case c.P > s.Alpha:
		if r.mediansMoved(c) {
			return Unsteady
		}
		return Same
	case contended || size < math.Log1p(s.MinChange)+r.uncertainty(p):
		if max(size, math.Abs(math.Log1p(c.Change))) < math.Log(r.unsteadyFrom) {
			return Same
		}
		return Unsteady
	case c.Quiet > 0:
		return Slower
	default:
		return Faster
	}
}

// mediansMoved returns whether the interval of the ratio of the medians excludes all that is
// too small to be unsteady. The quiet cost may be the same although most reads were slower: that
// is no verdict of a change, and none that nothing changed.
func (r rules) mediansMoved(c Change) bool {
	low, high := 1+c.Low, 1+c.High
	return c.Confidence > 0 && (low >= r.unsteadyFrom || high <= 1/r.unsteadyFrom)
}

// uncertainty returns the largest uncertainty of a pair.
func (r rules) uncertainty(p pair) float64 {
	faster, slower := p.old.quickest, p.new.quickest
	if r.quietCost(faster) > r.quietCost(slower) {
		faster, slower = slower, faster
	}
	sources := r.latency
	if p.old.threads > 0 {
		sources = r.throughput
	}
	largest := 0.0
	for _, source := range sources {
		largest = max(largest, source(faster, slower))
	}
	return largest
}
