package runtimes

import (
	"slices"

	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/wake"
)

// join joins the costs of calls of several runs on one machine, with the samples of all runs. Runtimes, calls and
// values without samples come from the first run.
func join(runs []*Runtimes) *Runtimes {
	joined := *runs[0]
	joined.Runtimes = slices.Clone(joined.Runtimes)
	calls := map[string][]MeasuredCall{}
	var sleeps [][]wake.SleepWay
	for i, run := range runs {
		if i > 0 {
			joined.DurationNS += run.DurationNS
		}
		sleeps = append(sleeps, run.sleeps())
		for _, r := range run.Runtimes {
			for _, c := range r.Calls {
				calls[c.ID] = append(calls[c.ID], c)
			}
		}
	}
	for i := range joined.Runtimes {
		of := &joined.Runtimes[i].Calls
		*of = slices.Clone(*of)
		for k := range *of {
			(*of)[k].join(calls[(*of)[k].ID])
		}
		r := &joined.Runtimes[i]
		r.Sleeps = wake.JoinWays(r.Sleeps, sleeps...)
	}
	return &joined
}

// join takes the latency and the throughput of all runs of a call.
func (c *MeasuredCall) join(runs []MeasuredCall) {
	var latencies []*compare.Latency
	var throughputs [][]compare.Throughput
	for _, run := range runs {
		latencies, throughputs = append(latencies, run.Latency), append(throughputs, run.Throughput)
	}
	c.Latency, c.Throughput = compare.JoinLatency(latencies), compare.JoinThroughput(throughputs)
}
