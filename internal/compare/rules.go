package compare

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
)

// A selection returns those of the quickest slices of both runs that a test compares.
type selection func(old, new []float64) (selectedOld, selectedNew []float64)

// An uncertainty returns, as a logarithm, by how much the quiet costs of the same clock may
// differ in two such runs.
type uncertainty func(faster, slower []float64) float64

// rules are what a verdict takes into account. They are data, so that BenchmarkAblation can take
// one away; docs/diff.md shows what the verdicts are worth then.
//
// Whatever disturbs a machine makes reads slower and never faster, and may do so for nearly all
// of a run. So the quiet cost decides, what a read costs while nothing disturbs the CPU. A figure
// is slower or faster if three conditions hold, since each alone is wrong too often on real
// machines (docs/diff.md has the experiment):
//
//   - the Mann-Whitney U test says that the quickest slices differ, or their lower half,
//     corrected for these two tests (Bonferroni) and the number of figures (Holm);
//   - the quiet costs differ by MinChange or more: two runs of one program on one machine
//     differ by real but meaningless amounts, depending on where its memory lies for example;
//   - they do so by more than the uncertainty of either run: a run may have seen no quiet moment,
//     or only one of its blocks was that fast.
//
// If the medians or the quiet costs differ by much and the other conditions do not hold, then a
// run changed while it lasted: the figure is unsteady, and not the same.
type rules struct {
	// tests are the samples that the Mann-Whitney U tests compare. The first test decides
	// whether there are enough.
	tests []selection
	// combine returns the p value of all tests of a figure.
	combine func(ps ...float64) float64
	// adjust corrects the p values of all figures for their number.
	adjust func(ps []float64) []float64
	// quietCost returns the cost of a read while nothing disturbs the CPU.
	quietCost func(samples []float64) float64
	// latency and throughput are the uncertainties of either, of which the largest counts.
	latency, throughput []uncertainty
	// contentionFactor is the ratio up to which contention alone slows down threads on every
	// CPU.
	contentionFactor float64
	// unsteadyFrom is the smallest ratio that is called unsteady.
	unsteadyFrom float64
}

// allRules is what timebench decides by.
var allRules = rules{
	tests:      []selection{quickestSlices, stats.LowerHalf},
	combine:    stats.Bonferroni,
	adjust:     stats.Holm,
	quietCost:  ranked(quietRank),
	latency:    []uncertainty{slowerAboveEndpoint(quietRank), fasterUnrepeated(quietRank)},
	throughput: []uncertainty{minToMedian},
	// Another program takes half of each CPU, and a bit more.
	contentionFactor: 3,
	unsteadyFrom:     1.1,
}

func quickestSlices(old, new []float64) (selectedOld, selectedNew []float64) { return old, new }

func ranked(rank int) func(samples []float64) float64 {
	return func(samples []float64) float64 { return stats.OrderStatistic(rank, samples) }
}

// slowerAboveEndpoint bounds how far the slower run's quiet cost lies above its undisturbed cost.
// If that of the faster run lies above, then the true change is larger.
func slowerAboveEndpoint(rank int) uncertainty {
	return func(_, slower []float64) float64 {
		return stats.AboveEndpoint(rank, logarithms(slower), lowest, confidence)
	}
}

// fasterUnrepeated returns the distance of the quiet costs of the faster run's two quietest
// blocks: a cost seen in one block alone is not repeatable within its own run.
func fasterUnrepeated(rank int) uncertainty {
	return func(faster, _ []float64) float64 {
		minima := stats.BlockMinima(rank, blocks, faster)
		return math.Log(minima[min(1, len(minima)-1)] / minima[0])
	}
}

// minToMedian returns the larger distance from the minimum of a run's samples to their median.
func minToMedian(faster, slower []float64) float64 {
	distance := func(samples []float64) float64 { return math.Log(stats.Quantile(0.5, samples) / slices.Min(samples)) }
	return max(distance(faster), distance(slower))
}

func logarithms(samples []float64) []float64 {
	logs := make([]float64, len(samples))
	for i, sample := range samples {
		logs[i] = math.Log(sample)
	}
	return logs
}
