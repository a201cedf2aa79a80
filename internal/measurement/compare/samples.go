package compare

import (
	"strconv"
	"strings"

	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/instrument/stats"
)

// Samples returns the samples of latency and throughput, for benchstat; the medians of the runs if
// there were several.
func (c *Costs) Samples() []section.Sample {
	var all []section.Sample
	for _, c := range c.Clocks {
		if !c.Available {
			continue
		}
		clock := "/clock=" + strings.Join(strings.Fields(c.ID), "_")
		if c.Latency != nil {
			for _, sample := range c.Latency.ByRun() {
				all = append(all, section.Sample{Name: "Latency" + clock, NSPerRead: sample})
			}
		}
		for _, t := range c.Throughput {
			name := "Throughput" + clock + "/threads=" + strconv.Itoa(t.Threads)
			for _, sample := range mediansOfRuns(t.Runs, t.SamplesReadsPerSecond) {
				if sample > 0 {
					all = append(all, section.Sample{Name: name, NSPerRead: float64(t.Threads) * 1e9 / sample, ReadsPerSecond: sample})
				}
			}
		}
	}
	return all
}

// ByRun returns the samples in ns, or the medians of the runs if there were several.
func (l *Latency) ByRun() []float64 { return mediansOfRuns(l.Runs, l.SamplesNS) }

func mediansOfRuns(counts []int, samples []float64) []float64 {
	if len(counts) == 0 {
		return samples
	}
	var medians []float64
	for _, run := range byRun(counts, samples) {
		medians = append(medians, stats.Median(run))
	}
	return medians
}
