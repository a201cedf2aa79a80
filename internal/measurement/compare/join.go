package compare

import (
	"cmp"
	"slices"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/stats"
)

// Join returns the costs of one or more runs of a machine as the costs of a single document. It has the samples of all
// runs; Latency.Runs and Throughput.Runs count them. Figures without samples come from the first run. The runs are not
// changed.
func Join(runs []*Costs) *Costs {
	if len(runs) == 1 {
		return runs[0]
	}
	joined := *runs[0]
	var floors []float64
	var clocks [][]Clock
	sources, conditions := map[string][]*Costs{}, map[string][]*result.Conditions{}
	for _, run := range runs {
		if run.FloorNS > 0 {
			floors = append(floors, run.FloorNS)
		}
		clocks = append(clocks, run.Clocks)
		for _, e := range run.OtherClockSources {
			sources[e.ClockSource] = append(sources[e.ClockSource], &Costs{FloorNS: e.FloorNS, Clocks: e.Clocks})
			conditions[e.ClockSource] = append(conditions[e.ClockSource], e.Conditions)
		}
	}
	if len(floors) > 0 {
		joined.FloorNS = stats.Median(floors)
	}
	joined.Clocks = joinClocks(clocks)
	joined.OtherClockSources = slices.Clone(joined.OtherClockSources)
	for i := range joined.OtherClockSources {
		e := &joined.OtherClockSources[i]
		of := Join(sources[e.ClockSource])
		e.FloorNS, e.Conditions, e.Clocks = of.FloorNS, result.JoinConditions(conditions[e.ClockSource]), of.Clocks
	}
	return &joined
}

func joinClocks(runs [][]Clock) []Clock {
	var joined []Clock
	for _, of := range grouped(runs, func(c Clock) string { return c.ID }) {
		joined = append(joined, joinClock(of))
	}
	return joined
}

// grouped returns the elements of several runs by key, in the order of appearance of the keys.
func grouped[T any, K comparable](runs [][]T, key func(T) K) [][]T {
	index := map[K]int{}
	var groups [][]T
	for _, of := range slices.Concat(runs...) {
		i, ok := index[key(of)]
		if !ok {
			i = len(groups)
			index[key(of)] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], of)
	}
	return groups
}

// joinClock joins a clock of several runs: the first available one, with the samples of all. Its layers are scaled to
// the joined latency, or removed if the runs enter the kernel differently.
func joinClock(runs []Clock) Clock {
	joined := runs[max(0, slices.IndexFunc(runs, func(c Clock) bool { return c.Available }))]
	entry := joined.KernelEntry
	var latencies []*Latency
	var throughputs [][]Throughput
	for _, c := range runs {
		if c.Available {
			joined.addEntry(c)
		}
		latencies, throughputs = append(latencies, c.Latency), append(throughputs, c.Throughput)
		joined.Resolution = cmp.Or(joined.Resolution, c.Resolution)
	}
	joined.Latency, joined.Throughput = JoinLatency(latencies), JoinThroughput(throughputs)
	if joined.Latency == nil || joined.KernelEntry != entry {
		joined.Layers, joined.UserModeNS = nil, 0
	} else if len(runs) > 1 {
		joined.Layers = scaled(slices.Clone(joined.Layers), joined.Latency.MedianNS)
	}
	return joined
}

// addEntry adds how often reads of another run enter the kernel, if that was determined.
func (clock *Clock) addEntry(of Clock) {
	undetermined := func(entry string) bool { return entry == "" || entry == result.Unknown }
	switch {
	case undetermined(of.KernelEntry) || of.KernelEntry == clock.KernelEntry:
	case undetermined(clock.KernelEntry):
		clock.KernelEntry, clock.KernelEntryBy = of.KernelEntry, of.KernelEntryBy
	default:
		clock.KernelEntry = result.Sometimes
	}
}

// JoinLatency returns the latency of several runs together; nil if no run has a latency. A run without latency is nil.
func JoinLatency(runs []*Latency) *Latency {
	runs = slices.DeleteFunc(slices.Clone(runs), func(l *Latency) bool { return l == nil })
	if len(runs) == 0 {
		return nil
	}
	// A document from another program may have a median without samples.
	sampled := slices.DeleteFunc(slices.Clone(runs), func(l *Latency) bool { return len(l.SamplesNS) == 0 })
	switch len(sampled) {
	case 0:
		return runs[0]
	case 1:
		return sampled[0]
	}
	var samples, quiet []float64
	var counts []int
	for _, l := range sampled {
		samples, quiet = append(samples, l.SamplesNS...), append(quiet, l.QuietSamplesNS...)
		counts = append(counts, runsOf(l.Runs, l.SamplesNS)...)
	}
	if len(quiet) != len(samples) { // an old document has no slices
		quiet = nil
	}
	joined := LatencyOf(samples, quiet)
	joined.Runs = counts
	return joined
}

// JoinThroughput returns the throughput of several runs together, in the order of appearance of the numbers of threads.
func JoinThroughput(runs [][]Throughput) []Throughput {
	var joined []Throughput
	for _, of := range grouped(runs, func(t Throughput) int { return t.Threads }) {
		j := of[0]
		j.SamplesReadsPerSecond, j.Runs = nil, nil
		var rates, fairness, counted []float64
		for _, t := range of {
			j.Runs = append(j.Runs, runsOf(t.Runs, t.SamplesReadsPerSecond)...)
			j.SamplesReadsPerSecond = append(j.SamplesReadsPerSecond, t.SamplesReadsPerSecond...)
			j.Oversubscribed, j.Disturbed = j.Oversubscribed || t.Oversubscribed, j.Disturbed || t.Disturbed
			rates, fairness = append(rates, t.ReadsPerSecond), append(fairness, t.Fairness)
			counted = append(counted, t.CountedReadsPerSecond)
		}
		if len(j.Runs) == 1 {
			j.Runs = nil
		}
		j.Fairness, j.CountedReadsPerSecond = stats.Median(fairness), stats.Median(counted)
		// A run that other programs disturbed has a figure that is not the median of its samples.
		if j.ReadsPerSecond, j.NSPerRead = stats.Median(rates), 0; j.ReadsPerSecond > 0 {
			j.NSPerRead = float64(j.Threads) * 1e9 / j.ReadsPerSecond
		}
		joined = append(joined, j)
	}
	return joined
}

// runsOf returns the number of samples of each run: nil without samples, and a single number for a single run.
func runsOf(counts []int, samples []float64) []int {
	switch {
	case len(samples) == 0:
		return nil
	case len(counts) == 0:
		return []int{len(samples)}
	}
	return counts
}

func byRun(counts []int, samples []float64) [][]float64 {
	var runs [][]float64
	for _, n := range runsOf(counts, samples) {
		runs = append(runs, samples[:n])
		samples = samples[n:]
	}
	return runs
}
