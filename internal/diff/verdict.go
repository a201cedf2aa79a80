package diff

import (
	"math"
	"slices"

	"github.com/timebench/timebench/internal/stats"
)

const (
	// quietRank is the rank of the sample that is the quiet cost. The smallest may be too low by
	// accident, the second-smallest is not.
	quietRank = 2
	// blocks is the number of consecutive parts of a run whose quiet costs are compared.
	blocks = 5
	// lowest is the share of the samples from which the endpoint is estimated, and confidence
	// that of its bound.
	lowest, confidence = 0.1, 0.95
	// unsteadyFrom is the smallest ratio that is called unsteady.
	unsteadyFrom = 1.1
	// contentionFactor is the ratio up to which contention alone slows down threads on every
	// CPU: another program takes half of each CPU, and a bit more.
	contentionFactor = 3
)

// A pair is one figure of both documents.
type pair struct {
	old, new figure
	// slices is whether both have quickest slices. If either has none, the samples of both take
	// their place.
	slices bool
}

func newPair(old, new figure) pair {
	p := pair{old, new, old.hasQuickest() && new.hasQuickest()}
	if !p.slices {
		p.old.quickest, p.new.quickest = old.samples, new.samples
	}
	return p
}

// change returns the change without P, and with a verdict only if there are too few samples for
// one; and the p value before the correction for the number of figures. alpha is what the first
// of all figures is compared with.
func (p pair) change(alpha float64) (c Change, chance float64) {
	old, new := stats.Median(p.old.samples), stats.Median(p.new.samples)
	c = Change{
		Clock: p.old.clock, ClockSource: p.old.source, Threads: p.old.threads, OldNS: old, NewNS: new,
		Change: new/old - 1, Quiet: quietCost(p.new.quickest)/quietCost(p.old.quickest) - 1,
	}
	if low, high, ok := stats.MedianRatio(p.old.samples, p.new.samples); ok {
		c.Low, c.High, c.Confidence = low-1, high-1, stats.Wanted
	}
	sets := p.tested()
	ps := make([]float64, len(sets))
	for i, s := range sets {
		ps[i] = 1
		if len(s.old) == 0 || len(s.new) == 0 {
			continue
		}
		chance, enough := stats.MannWhitney(s.old, s.new, alpha/float64(len(sets)))
		if enough || !s.half {
			ps[i] = chance
		}
		if i == 0 && !enough {
			c.Verdict = TooFew
		}
	}
	return c, stats.Bonferroni(ps...)
}

// A tested is the samples of both sides that one test compares.
type tested struct {
	old, new []float64
	half     bool
}

// tested returns what is tested: the samples, the quickest slices, and their lower half, of
// which a disturbance that lasted for half of either run leaves enough.
func (p pair) tested() []tested {
	sets := []tested{{p.old.samples, p.new.samples, false}}
	if p.slices {
		sets = append(sets, tested{p.old.quickest, p.new.quickest, false})
	}
	lowerOld, lowerNew := stats.LowerHalf(p.old.quickest, p.new.quickest)
	return append(sets, tested{lowerOld, lowerNew, true})
}

// verdict needs the corrected P of the change.
func (p pair) verdict(c Change, s Settings) Verdict {
	// As logarithms, twice the cost is as far away as half the cost.
	size := math.Abs(math.Log1p(c.Quiet))
	contended := (p.old.contended || p.new.contended) && size < math.Log(contentionFactor)
	switch {
	case c.P > s.Alpha:
		return Same
	case contended || size < math.Log1p(s.Least)+p.uncertainty():
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

// quietCost returns the cost of a read while nothing disturbs the CPU.
func quietCost(samples []float64) float64 { return stats.OrderStatistic(quietRank, samples) }

// uncertainty returns, as a logarithm, by how much the quiet costs of the same clock may differ
// in two such runs.
func (p pair) uncertainty() float64 {
	if p.old.threads > 0 {
		return max(minToMedian(p.old.quickest), minToMedian(p.new.quickest))
	}
	faster, slower := p.old.quickest, p.new.quickest
	if quietCost(faster) > quietCost(slower) {
		faster, slower = slower, faster
	}
	// If the faster run's quiet cost is too high, or the slower run's too low, then the true
	// change is larger.
	return max(stats.AboveEndpoint(quietRank, logarithms(slower), lowest, confidence), unrepeated(faster))
}

// minToMedian returns the distance from the minimum of the samples to their median, as a
// logarithm.
func minToMedian(samples []float64) float64 {
	return math.Log(stats.Quantile(0.5, samples) / slices.Min(samples))
}

// unrepeated returns the distance of the quiet costs of the two quietest blocks of a run, as a
// logarithm: a cost seen in one block alone is not repeatable within its own run.
func unrepeated(samples []float64) float64 {
	minima := stats.BlockMinima(quietRank, blocks, samples)
	return math.Log(minima[min(1, len(minima)-1)] / minima[0])
}

func logarithms(samples []float64) []float64 {
	logs := make([]float64, len(samples))
	for i, sample := range samples {
		logs[i] = math.Log(sample)
	}
	return logs
}
