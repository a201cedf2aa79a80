package compare

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/show/exposition"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

// A line is a clock under a clock source, with one of its figures of throughput, or nil.
type line struct {
	Clock
	throughput *Throughput
	source     string
}

// columns have the latency and the resolution for tables, and everything for CSV and Prometheus.
var columns = slices.Concat(
	[]table.Column[line]{
		{Name: "Clock", Key: "clock", Left: true, First: func(l line) bool { return IsEveryday(l.ID) },
			Text: func(l line) string { return l.ID }},
		{Key: "call", Text: func(l line) string { return l.Call }},
		{Key: "path", Text: func(l line) string { return l.Path }},
		{Key: "kind", Text: func(l line) string { return l.Kind }},
		{Key: "available", Text: func(l line) string { return strconv.FormatBool(l.Available) }},
		{Key: "reason", Text: func(l line) string { return l.Reason }},
	},
	LatencyColumns("ns/read", "rounds", func(l line) *Latency { return l.Latency }),
	ResolutionColumns(func(l line) *Resolution { return l.Resolution }),
	[]table.Column[line]{{
		Name: "reported", Key: "reported_ns", Unit: words.Duration, Spare: 2,
		Value: table.Within(func(l line) *Resolution { return l.Resolution }, table.Unknown)(
			func(r *Resolution) float64 { return table.Known(r.ReportedNS) }),
	}},
	ThroughputColumns(func(l line) *Throughput { return l.throughput }),
	[]table.Column[line]{
		// Kernel entry is tested on Linux only.
		{Name: "enters kernel", Key: "kernel_entry", Text: func(l line) string { return l.KernelEntry },
			Cell: func(l line) string { return EntersKernel(l.KernelEntry) }},
		{
			Metric: "enters_kernel",
			Help:   "1 if a read of the clock enters the kernel, 0.5 if it sometimes does, 0 if it does not.",
			Value:  func(l line) float64 { value, known := kernelEntries[l.KernelEntry]; return table.If(known, value) },
		},
		{Key: "clocksource", Text: func(l line) string { return l.source }},
		{Key: "disturbed", Text: table.Within(func(l line) *Throughput { return l.throughput }, "")(
			func(t *Throughput) string { return strconv.FormatBool(t.Disturbed) })},
	},
)

// kernelEntries are the values of timebench_clock_enters_kernel. An unknown entry has no value.
var kernelEntries = map[string]float64{result.Always: 1, result.Sometimes: 0.5, result.Never: 0}

// LatencyColumns returns the columns of a row's latency; of returns nil without one. heading is the heading of the
// median, and samples names what an interval needs six of.
func LatencyColumns[T any](heading, samples string, of func(T) *Latency) []table.Column[T] {
	within := table.Within(of, table.Unknown)
	figure := func(value func(*Latency) float64) func(T) float64 {
		return within(func(l *Latency) float64 { return table.Known(value(l)) })
	}
	return []table.Column[T]{
		{
			Name: heading, Key: "latency_median_ns", Unit: words.NS,
			Value:  figure(func(l *Latency) float64 { return l.MedianNS }),
			Metric: "read_seconds", Help: "Time of one read of the clock: the median.",
		},
		{
			Name: "95% CI", Key: "latency_low_ns", Spare: 1, Value: figure(func(l *Latency) float64 { return l.LowNS }),
			Cell:   func(row T) string { return Interval(of(row), samples) },
			Metric: "read_low_seconds",
			Help:   "Time of one read of the clock: the lower end of the confidence interval of the median.",
		},
		{
			Key: "latency_high_ns", Value: figure(func(l *Latency) float64 { return l.HighNS }),
			Metric: "read_high_seconds",
			Help:   "Time of one read of the clock: the upper end of the confidence interval of the median.",
		},
		{Name: "min", Key: "latency_min_ns", Unit: words.NS, Spare: 3,
			Value: figure(func(l *Latency) float64 { return l.MinNS })},
	}
}

// Interval returns the confidence interval of a latency; "" without a latency. samples names what it needs six of.
func Interval(l *Latency, samples string) string {
	switch {
	case l == nil:
		return ""
	case l.Confidence == 0:
		return "needs 6 " + samples
	}
	return words.NS(l.LowNS) + " to " + words.NS(l.HighNS)
}

// ResolutionColumns returns the columns of a row's resolution; of returns nil without one.
func ResolutionColumns[T any](of func(T) *Resolution) []table.Column[T] {
	return []table.Column[T]{
		{
			Name: "resolution", Key: "tick_ns",
			Value:  table.Within(of, table.Unknown)(func(r *Resolution) float64 { return table.Known(r.TickNS) }),
			Cell:   func(row T) string { return Tick(of(row)) },
			Metric: "resolution_seconds", Help: "Step between two values of the clock.",
		},
		{Key: "finer_than_read",
			Text: table.Within(of, "")(func(r *Resolution) string { return strconv.FormatBool(r.FinerThanRead) })},
	}
}

// ThroughputColumns returns the CSV columns of a row's throughput; of returns nil without one.
func ThroughputColumns[T any](of func(T) *Throughput) []table.Column[T] {
	figure := table.Within(of, table.Unknown)
	return []table.Column[T]{
		{Key: "threads", Value: figure(func(t *Throughput) float64 { return float64(t.Threads) })},
		{Key: "reads_per_second", Value: figure(func(t *Throughput) float64 { return t.ReadsPerSecond })},
		{Key: "ns_per_read", Value: figure(func(t *Throughput) float64 { return t.NSPerRead })},
		{Key: "fairness", Value: figure(func(t *Throughput) float64 { return t.Fairness })},
		{Key: "oversubscribed",
			Text: table.Within(of, "")(func(t *Throughput) string { return strconv.FormatBool(t.Oversubscribed) })},
	}
}

// Lines returns a line for each clock and number of threads, and one for each clock without
// throughput, under a header.
func (c *Costs) Lines(d *result.Document) [][]string {
	all := linesOf(c.Clocks, currentSource(d))
	for _, experiment := range c.OtherClockSources {
		all = append(all, linesOf(experiment.Clocks, experiment.ClockSource)...)
	}
	return table.Lines(all, columns)
}

func linesOf(clocks []Clock, source string) []line {
	var all []line
	for _, c := range clocks {
		if len(c.Throughput) == 0 {
			all = append(all, line{c, nil, source})
		}
		for i := range c.Throughput {
			all = append(all, line{c, &c.Throughput[i], source})
		}
	}
	return all
}

func currentSource(d *result.Document) string {
	if d.Host.ClockSource == nil {
		return ""
	}
	return d.Host.ClockSource.Current
}

// Metrics returns the costs of the clocks for Prometheus, in seconds.
func (c *Costs) Metrics() []exposition.Family {
	type layer struct {
		clock string
		Layer
	}
	var clocks []line
	var layers []layer
	for _, c := range c.Clocks {
		if c.Available {
			clocks = append(clocks, line{Clock: c})
			for _, l := range c.Layers {
				layers = append(layers, layer{c.ID, l})
			}
		}
	}
	const prefix = "timebench_clock_"
	return append(
		table.Metrics(prefix, clocks, func(l line) []string { return []string{"clock", l.ID} }, columns),
		table.Metrics(prefix, layers, func(l layer) []string { return []string{"clock", l.clock, "layer", l.Name} },
			[]table.Column[layer]{
				{Metric: "layer_seconds", Help: "Time that a part of one read of the clock takes.",
					Value: func(l layer) float64 { return l.NS }},
			})...)
}

// Samples returns the samples of the clocks, for benchstat.
func (*Costs) Samples(d *result.Document) []section.Sample { return SamplesOf(subjects(d)) }

// List returns the number of available clocks in a sentence, and a table of clocks, with why some are unavailable.
func List(clocks []Clock) (string, table.Grid) {
	usable := 0
	for _, c := range clocks {
		if c.Available {
			usable++
		}
	}
	sentence := fmt.Sprintf("%d of %s%s available here.", usable, words.Plural(len(clocks), "clock"),
		words.Are(len(clocks)))
	return sentence, table.Of("", clocks, []table.Column[Clock]{
		clockColumn,
		{Name: "Kind", Left: true, Spare: 1, Text: func(c Clock) string { return c.Kind }},
		{Name: "Available", Left: true, Cell: func(c Clock) string {
			if c.Available {
				return "yes"
			}
			return "no: " + c.Reason
		}},
	})
}

// IsEveryday reports whether most programs choose between a clock, by its id, and a few others.
func IsEveryday(id string) bool {
	call, path, _ := strings.Cut(id, "@")
	return path != "syscall" && (slices.Contains(clock.MostRead, call) || strings.HasSuffix(call, "_COARSE")) ||
		slices.Contains(clock.PlainCounters, id) || path == "go"
}
