package compare

import (
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/show/words"
)

// slowness returns how many times slower each of several clocks of one run, at least one, is than the
// fastest of them, by the figures of the latency table. It is 1 where the table shows no significant difference.
func slowness(clocks []Clock) []float64 {
	fastest := clocks[0].Latency
	for _, c := range clocks[1:] {
		if c.Latency.MedianNS < fastest.MedianNS {
			fastest = c.Latency
		}
	}
	ratios := make([]float64, len(clocks))
	for i, c := range clocks {
		ratios[i] = 1
		if fastest.MedianNS > 0 && slower(c.Latency, fastest) {
			ratios[i] = c.Latency.MedianNS / fastest.MedianNS
		}
	}
	return ratios
}

// slower reports whether the medians differ by what diff would call a change, and as printed, and their
// confidence intervals, if there are any, do not overlap. The intervals alone cannot tell: those of quantised
// clocks have no width.
func slower(l, fastest *Latency) bool {
	overlap := l.Confidence > 0 && fastest.Confidence > 0 && l.LowNS <= fastest.HighNS
	return !overlap && l.MedianNS >= fastest.MedianNS*(1+section.Usual.MinChange) && words.NS(l.MedianNS) != words.NS(fastest.MedianNS)
}
