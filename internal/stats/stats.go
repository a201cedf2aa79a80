// Package stats gives the median of a set of samples with its confidence
// interval, and hides from the rest of timebench that infinities exist.
//
// The statistics are those of golang.org/x/perf/benchmath, which assumes nothing
// about how the samples are distributed: timings are skewed to one side, so a
// mean with a standard deviation would describe a machine that nobody has.
package stats

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// Wanted is the confidence that Summarize asks for.
const Wanted = 0.95

// A Summary describes a set of samples in the samples' unit.
type Summary struct {
	Median, Min float64
	// Low and High bound the median with the given Confidence, at least
	// Wanted. With fewer than 6 samples there is no such interval: all three
	// are 0.
	Low, High, Confidence float64
}

// Summarize describes the samples, of which there must be at least one. The
// caller keeps them, in their order.
func Summarize(samples []float64) Summary {
	thresholds := benchmath.DefaultThresholds
	sample := benchmath.NewSample(slices.Clone(samples), &thresholds)
	summary := benchmath.AssumeNothing.Summary(sample, Wanted)
	s := Summary{Median: summary.Center, Min: sample.Values[0]}
	if !math.IsInf(summary.Lo, 0) && !math.IsInf(summary.Hi, 0) {
		s.Low, s.High, s.Confidence = summary.Lo, summary.Hi, summary.Confidence
	}
	return s
}

// Median returns the median of the samples, of which there must be at least one.
func Median(samples []float64) float64 { return Summarize(samples).Median }
