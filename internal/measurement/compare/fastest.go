package compare

import "github.com/timebench/timebench/internal/document/section"

// slowness returns how many times slower each of several clocks of one run, at least one, is than the
// fastest of them, by their costs. It is 1 for a clock that diff would call the same. The intervals of the
// medians cannot tell: those of quantised clocks have no width.
func slowness(clocks []Clock) []float64 {
	fastest := clocks[0].Latency.CostNS()
	for _, c := range clocks[1:] {
		fastest = min(fastest, c.Latency.CostNS())
	}
	ratios := make([]float64, len(clocks))
	for i, c := range clocks {
		ratios[i] = 1
		if ratio := c.Latency.CostNS() / fastest; fastest > 0 && ratio >= 1+section.Usual.MinChange {
			ratios[i] = ratio
		}
	}
	return ratios
}
