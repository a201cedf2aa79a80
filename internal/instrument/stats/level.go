package stats

import (
	"math"
	"slices"
)

const (
	// levelShare is the share of the samples that make a level, levelWidth how far they may differ, as a share. The
	// experiment of docs/evidence/diff.md needs both: a CPU can be in turbo mode for an eighth of a run, and
	// undisturbed for only a quarter.
	levelShare, levelWidth = 0.2, 0.01
)

// Level returns the lowest level of at least one sample, all > 0: the median of the lowest samples that lie within 1 %
// of each other and are a fifth of all. Without such a fifth, it is the median of the fifth that lies closest together.
//
// Timings have levels rather than one distribution: the usual speed of the CPU, another one for a moment, a neighbour
// on the same core. Few samples at a lower level are an exception, and all above the lowest level may be disturbed.
func Level(samples []float64) float64 {
	sorted := slices.Sorted(slices.Values(samples))
	enough := min(len(sorted), max(2, int(math.Ceil(levelShare*float64(len(sorted))))))
	closest := 0 // where the fifth that lies closest together begins
	width := func(i int) float64 { return sorted[i+enough-1] / sorted[i] }
	for i := range sorted[:len(sorted)-enough+1] {
		if width(i) <= 1+levelWidth {
			return Median(below(sorted[i:], sorted[i]*(1+levelWidth)))
		}
		if width(i) < width(closest) {
			closest = i
		}
	}
	return Median(sorted[closest : closest+enough])
}

// below returns the samples up to the limit.
func below(sorted []float64, limit float64) []float64 {
	n := 0
	for n < len(sorted) && sorted[n] <= limit {
		n++
	}
	return sorted[:n]
}
