// Package stats gives the median of a set of samples with its confidence
// interval, tells whether two sets differ, and hides from the rest of timebench
// that infinities exist.
//
// The statistics are those of golang.org/x/perf/benchmath, which assumes nothing
// about how the samples are distributed: timings are skewed to one side, so a
// mean with a standard deviation would describe a machine that nobody has.
package stats

import (
	"cmp"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
	"gonum.org/v1/gonum/stat"
)

// Wanted is the confidence that Summarize asks for.
const Wanted = 0.95

// A Summary describes a set of samples in the samples' unit.
type Summary struct {
	Median, Min float64
	// Low and High bound the median with the given Confidence, at least what
	// was asked for. With fewer than 6 samples there is no such interval: all three
	// are 0.
	Low, High, Confidence float64
}

// Summarize describes the samples, of which there must be at least one. The
// caller keeps them, in their order.
func Summarize(samples []float64) Summary { return summarize(samples, Wanted) }

func summarize(samples []float64, confidence float64) Summary {
	thresholds := benchmath.DefaultThresholds
	sample := benchmath.NewSample(slices.Clone(samples), &thresholds)
	summary := benchmath.AssumeNothing.Summary(sample, confidence)
	s := Summary{Median: summary.Center, Min: sample.Values[0]}
	if !math.IsInf(summary.Lo, 0) && !math.IsInf(summary.Hi, 0) {
		s.Low, s.High, s.Confidence = summary.Lo, summary.Hi, summary.Confidence
	}
	return s
}

// Median returns the median of the samples, of which there must be at least one.
func Median(samples []float64) float64 { return Summarize(samples).Median }

// Quantile returns the least of the samples that such a share of them, from 0 to 1, does
// not exceed. There must be at least one; the caller keeps them, in their order.
func Quantile(share float64, samples []float64) float64 {
	return stat.Quantile(share, stat.Empirical, slices.Sorted(slices.Values(samples)), nil)
}

// Differ returns the probability that two sets of samples of the same thing lie
// at least as far apart as these by chance (the Mann-Whitney U test), and
// whether there are samples enough to tell anything at alpha.
func Differ(old, new []float64, alpha float64) (p float64, enough bool) {
	thresholds := benchmath.Thresholds{CompareAlpha: alpha}
	a := benchmath.NewSample(slices.Clone(old), &thresholds)
	b := benchmath.NewSample(slices.Clone(new), &thresholds)
	comparison := benchmath.AssumeNothing.Compare(a, b)
	// Samples that are all equal come with a warning too, and do not differ.
	return comparison.P, leastP(len(old), len(new), tied(old, new)) <= alpha
}

// tied says that some two of the samples are equal.
func tied(old, new []float64) bool {
	all := slices.Sorted(slices.Values(slices.Concat(old, new)))
	return len(slices.Compact(all)) < len(old)+len(new)
}

// leastP is about the least p that the Mann-Whitney U test of benchmath can give for so
// many samples. Where it is exact, two of all the orders in which they could lie are the most
// extreme. Beyond the limits of go-moremath's stats (MannWhitneyExactLimit and
// MannWhitneyTiesExactLimit) it takes the normal distribution, which is far from the truth
// where one side has few: of 4 and 77 samples p is never below 0.0008, where the exact test
// comes to 0.000001.
func leastP(n, m int, tied bool) float64 {
	limit := 50
	if tied {
		limit = 25
	}
	if max(n, m) > limit {
		products := float64(n) * float64(m)
		return math.Erfc((products/2 - 0.5) / math.Sqrt(products*float64(n+m+1)/6))
	}
	orders := 1.0
	for i := 1; i <= n; i++ {
		orders = orders * float64(m+i) / float64(i)
	}
	return min(1, 2/orders)
}

// Holm corrects p values for their number by Holm's method (Scandinavian Journal
// of Statistics 6, 1979): each is still compared with alpha, and the chance that
// any of those below it came about without a cause is at most alpha. The order
// stays; the caller keeps ps.
func Holm(ps []float64) []float64 {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(ps[a], ps[b]) })
	corrected := make([]float64, len(ps))
	least := 0.0
	for rank, i := range order {
		least = max(least, min(1, ps[i]*float64(len(ps)-rank)))
		corrected[i] = least
	}
	return corrected
}

// Ratio returns bounds of median(new)/median(old), with at least the confidence
// that is Wanted: the far ends of the intervals of both medians, each of half
// the doubt. ok is false where there are too few samples for that, fewer than 7.
func Ratio(old, new []float64) (low, high float64, ok bool) {
	const each = 1 - (1-Wanted)/2
	a, b := summarize(old, each), summarize(new, each)
	if a.Confidence == 0 || b.Confidence == 0 || a.Low <= 0 {
		return 0, 0, false
	}
	return b.Low / a.High, b.High / a.Low, true
}
