// Package stats computes medians with their confidence intervals, tests whether two sets of
// samples differ, and bounds how far the lowest samples lie above the lower endpoint of their
// distribution. Each method has a file of its own, with its source.
//
// None assumes a normal distribution: timings are skewed to one side, so a mean with a standard deviation would
// describe a machine that does not exist. Infinities stay inside this package, because JSON cannot hold them.
package stats

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
	"gonum.org/v1/gonum/stat"
)

// Confidence is the confidence of all intervals, except in a comparison of two runs.
const Confidence = 0.95

// A Summary describes a set of samples in the samples' unit.
type Summary struct {
	Median, Min float64
	// Low and High bound the median with this Confidence, at least the requested one. With fewer than 6 samples there
	// is no such interval: all three are 0.
	Low, High, Confidence float64
}

// Summarize describes at least one sample. It does not reorder the samples of the caller.
func Summarize(samples []float64) Summary {
	thresholds := benchmath.DefaultThresholds
	sample := benchmath.NewSample(slices.Clone(samples), &thresholds)
	summary := benchmath.AssumeNothing.Summary(sample, Confidence)
	s := Summary{Median: Median(samples), Min: sample.Values[0]}
	if !math.IsInf(summary.Lo, 0) && !math.IsInf(summary.Hi, 0) {
		s.Low, s.High, s.Confidence = summary.Lo, summary.Hi, summary.Confidence
	}
	return s
}

// Median returns the median of at least one sample; of an even number the mean of the two in the middle.
func Median(samples []float64) float64 {
	sorted := slices.Sorted(slices.Values(samples))
	low, high := sorted[(len(sorted)-1)/2], sorted[len(sorted)/2]
	return low + (high-low)/2
}

// Quantile returns the smallest sample that this share of the samples, from 0 to 1, does not exceed. It needs at least
// one sample, and does not reorder the samples of the caller.
func Quantile(share float64, samples []float64) float64 {
	return stat.Quantile(share, stat.Empirical, slices.Sorted(slices.Values(samples)), nil)
}
