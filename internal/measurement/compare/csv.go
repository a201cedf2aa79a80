package compare

import (
	"strconv"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/words"
)

var csvHeader = []string{
	"clock", "call", "path", "kind", "available", "reason",
	"latency_median_ns", "latency_low_ns", "latency_high_ns", "latency_min_ns",
	"tick_ns", "finer_than_read", "reported_ns",
	"threads", "reads_per_second", "ns_per_read", "fairness", "oversubscribed",
	"kernel_entry", "clocksource",
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
			lines = append(lines, append(cells, "", "", "", "", "", c.KernelEntry, source))
		}
		for _, t := range c.Throughput {
			lines = append(lines, append(cells[:len(cells):len(cells)], strconv.Itoa(t.Threads), words.Number(t.ReadsPerSecond),
				words.Number(t.NSPerRead), words.Number(t.Fairness), strconv.FormatBool(t.Oversubscribed), c.KernelEntry, source))
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
