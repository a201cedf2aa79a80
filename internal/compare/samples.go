package compare

import (
	"strconv"
	"strings"

	"github.com/timebench/timebench/internal/section"
)

// Samples returns the samples of latency and throughput, for benchstat.
func (c *Costs) Samples() []section.Sample {
	var all []section.Sample
	for _, c := range c.Clocks {
		if !c.Available {
			continue
		}
		clock := "/clock=" + strings.Join(strings.Fields(c.ID), "_")
		if c.Latency != nil {
			for _, sample := range c.Latency.SamplesNS {
				all = append(all, section.Sample{Name: "Latency" + clock, NSPerRead: sample})
			}
		}
		for _, t := range c.Throughput {
			name := "Throughput" + clock + "/threads=" + strconv.Itoa(t.Threads)
			for _, sample := range t.SamplesReadsPerSecond {
				if sample > 0 {
					all = append(all, section.Sample{Name: name, NSPerRead: float64(t.Threads) * 1e9 / sample, ReadsPerSecond: sample})
				}
			}
		}
	}
	return all
}
