package compare

import (
	"cmp"
	"slices"

	"github.com/timebench/timebench/internal/section"
)

// slowness returns how many times slower each of several clocks, at least one, is than the fastest
// of them, by their quiet costs. It is 1 for a clock that diff would call the same as the fastest.
// Their intervals cannot tell: those of the medians of quantised clocks have no width.
func slowness(clocks []Clock) []float64 {
	fastest := slices.MinFunc(clocks, func(a, b Clock) int { return cmp.Compare(quietNS(a), quietNS(b)) })
	ratios := make([]float64, len(clocks))
	var pairs []pair
	var at []int // of each pair, the clock
	for i, c := range clocks {
		ratios[i] = differing(c.Latency.MedianNS/fastest.Latency.MedianNS, section.Usual)
		if old, new := latencyFigure("", fastest), latencyFigure("", c); c.ID != fastest.ID && old.hasRatio() && new.hasRatio() {
			pairs, at = append(pairs, newPair(old, new)), append(at, i)
		}
	}
	for i, c := range allRules.changes(pairs, section.Usual) {
		switch c.Verdict {
		case Same, Faster:
			ratios[at[i]] = 1
		case Slower:
			ratios[at[i]] = 1 + c.Quiet
		case Unsteady:
			ratios[at[i]] = differing(1+max(c.Quiet, c.Change), section.Usual)
		case TooFew: // the medians are all there is
		}
	}
	return ratios
}

// quietNS returns the quiet cost of a clock; its median if it has no samples.
func quietNS(c Clock) float64 {
	f := latencyFigure("", c)
	switch {
	case f.hasQuickest():
		return allRules.quietCost(f.quickest)
	case f.hasRatio():
		return allRules.quietCost(f.samples)
	default:
		return c.Latency.MedianNS
	}
}

// differing returns a ratio, or 1 if it is smaller than the minimum change.
func differing(ratio float64, s section.Settings) float64 {
	if ratio >= 1+s.MinChange {
		return ratio
	}
	return 1
}
