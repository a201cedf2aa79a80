package runtimes

import (
	"slices"

	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/wake"
)

// join joins the costs of calls of several runs on one machine, with the samples of all runs. Runtimes, calls and
// values without samples come from the first run. Another interpreter under the same name is another runtime.
func join(runs []*Runtimes) *Runtimes {
	joined := *runs[0]
	joined.Runtimes = slices.Clone(joined.Runtimes)
	for _, run := range runs[1:] {
		joined.DurationNS += run.DurationNS
	}
	for i := range joined.Runtimes {
		r := &joined.Runtimes[i]
		calls := map[string][]MeasuredCall{}
		var sleeps [][]wake.SleepWay
		for _, run := range runs {
			for _, of := range run.Runtimes {
				if of.Name == r.Name && of.Path == r.Path && of.Version == r.Version {
					sleeps = append(sleeps, of.Sleeps)
					for _, c := range of.Calls {
						calls[c.ID] = append(calls[c.ID], c)
					}
				}
			}
		}
		r.Calls = slices.Clone(r.Calls)
		for k := range r.Calls {
			r.Calls[k].join(calls[r.Calls[k].ID])
		}
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
