package compare

import (
	"strconv"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/instrument/stats"
	"github.com/timebench/timebench/internal/show/exposition"
	"github.com/timebench/timebench/internal/show/words"
)

var csvHeader = []string{
	"clock", "call", "path", "kind", "available", "reason",
	"latency_median_ns", "latency_low_ns", "latency_high_ns", "latency_min_ns",
	"tick_ns", "finer_than_read", "reported_ns",
	"threads", "reads_per_second", "ns_per_read", "fairness", "oversubscribed",
	"kernel_entry", "clocksource", "disturbed",
}

// Lines returns a line for each clock and number of threads, and one for each clock without
// throughput, under a header.
func (c *Costs) Lines(d *result.Document) [][]string {
	lines := append([][]string{csvHeader}, clockLines(c.Clocks, currentSource(d))...)
	for _, experiment := range c.OtherClockSources {
		lines = append(lines, clockLines(experiment.Clocks, experiment.ClockSource)...)
	}
	return lines
}

func clockLines(clocks []Clock, source string) [][]string {
	var lines [][]string
	for _, c := range clocks {
		cells := clockCells(c)
		if len(c.Throughput) == 0 {
			lines = append(lines, append(cells, "", "", "", "", "", c.KernelEntry, source, ""))
		}
		for _, t := range c.Throughput {
			lines = append(lines, append(cells[:len(cells):len(cells)], strconv.Itoa(t.Threads), words.Number(t.ReadsPerSecond),
				words.Number(t.NSPerRead), words.Number(t.Fairness), strconv.FormatBool(t.Oversubscribed), c.KernelEntry, source, strconv.FormatBool(t.Disturbed)))
		}
	}
	return lines
}

func currentSource(d *result.Document) string {
	if d.Host.ClockSource == nil {
		return ""
	}
	return d.Host.ClockSource.Current
}

func clockCells(c Clock) []string {
	cells := []string{c.ID, c.Call, c.Path, c.Kind, strconv.FormatBool(c.Available), c.Reason}
	if l := c.Latency; l == nil {
		cells = append(cells, "", "", "", "")
	} else {
		cells = append(cells, words.Number(l.MedianNS), words.Known(l.LowNS), words.Known(l.HighNS), words.Number(l.MinNS))
	}
	if r := c.Resolution; r != nil {
		return append(cells, words.Known(r.TickNS), strconv.FormatBool(r.FinerThanRead), words.Known(r.ReportedNS))
	}
	return append(cells, "", "", "")
}

// kernelEntries are the values of timebench_clock_enters_kernel. What is not known has none.
var kernelEntries = map[string]float64{result.Always: 1, result.Sometimes: 0.5, result.Never: 0}

// Metrics returns the costs of the clocks for Prometheus, in seconds.
func (c *Costs) Metrics() []exposition.Family {
	gauge := func(name, help string) *exposition.Family {
		return &exposition.Family{Name: "timebench_clock_" + name, Type: exposition.Gauge, Help: help}
	}
	read := gauge("read_seconds", "Time of one read of the clock: the median.")
	low := gauge("read_low_seconds", "Time of one read of the clock: the lower end of the confidence interval of the median.")
	high := gauge("read_high_seconds", "Time of one read of the clock: the upper end of the confidence interval of the median.")
	layer := gauge("layer_seconds", "Time that a part of one read of the clock takes.")
	kernel := gauge("enters_kernel", "1 if a read of the clock enters the kernel, 0.5 if it sometimes does, 0 if it does not.")
	tick := gauge("resolution_seconds", "Step between two values of the clock.")
	for _, c := range c.Clocks {
		add := func(to *exposition.Family, value float64, labels ...string) {
			if c.Available {
				to.Samples = append(to.Samples, exposition.Sample{Labels: append([]string{"clock", c.ID}, labels...), Value: value})
			}
		}
		if l := c.Latency; l != nil {
			add(read, l.MedianNS/1e9)
			if l.Confidence > 0 {
				add(low, l.LowNS/1e9)
				add(high, l.HighNS/1e9)
			}
		}
		for _, l := range c.Layers {
			add(layer, l.NS/1e9, "layer", l.Name)
		}
		if enters, ok := kernelEntries[c.KernelEntry]; ok {
			add(kernel, enters)
		}
		if r := c.Resolution; r != nil && r.TickNS > 0 {
			add(tick, r.TickNS/1e9)
		}
	}
	return []exposition.Family{*read, *low, *high, *layer, *kernel, *tick}
}

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
