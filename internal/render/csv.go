package render

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/timebench/timebench/internal/printable"
	"github.com/timebench/timebench/internal/result"
)

var csvHeader = []string{
	"clock", "call", "path", "kind", "available", "reason",
	"latency_median_ns", "latency_low_ns", "latency_high_ns", "latency_min_ns",
	"tick_ns", "finer_than_read", "reported_ns",
	"threads", "reads_per_second", "ns_per_read", "fairness", "oversubscribed",
	"kernel_entry", "clocksource",
}

// CSV writes a line for each clock and number of threads, and one for each clock
// without throughput; RFC 4180. It is made with encoding/csv, since go-pretty
// escapes a quote with a backslash, which spreadsheets do not read.
func CSV(w io.Writer, d *result.Document) error {
	d = cleanedLines(d)
	writer := csv.NewWriter(w)
	_ = writer.Write(csvHeader) // Flush keeps the error
	writeClockLines(writer, d.Clocks, currentSource(d))
	for _, experiment := range d.OtherClockSources {
		writeClockLines(writer, experiment.Clocks, experiment.ClockSource)
	}
	writer.Flush()
	return writer.Error()
}

// cleanedLines is cleaned for CSV, where text may have several lines. CSV has no escapes as
// JSON has, and what steers a terminal is in no name and no reason that timebench writes:
// programs lose nothing, and `cat` of a file from elsewhere is harmless. JSON holds what
// there is.
func cleanedLines[T any](of T) T { return printable.All(of, printable.Lines) }

func writeClockLines(writer *csv.Writer, clocks []result.Clock, source string) {
	for _, c := range clocks {
		cells := clockCells(c)
		if len(c.Throughput) == 0 {
			_ = writer.Write(append(cells, "", "", "", "", "", c.KernelEntry, source))
		}
		for _, t := range c.Throughput {
			_ = writer.Write(append(cells[:len(cells):len(cells)], strconv.Itoa(t.Threads), number(t.ReadsPerSecond),
				number(t.NSPerRead), number(t.Fairness), strconv.FormatBool(t.Oversubscribed), c.KernelEntry, source))
		}
	}
}

// currentSource is the clock source under which the document's own clocks were
// measured; empty where there is none.
func currentSource(d *result.Document) string {
	if d.Host.ClockSource == nil {
		return ""
	}
	return d.Host.ClockSource.Current
}

func clockCells(c result.Clock) []string {
	cells := []string{c.ID, c.Call, c.Path, c.Kind, strconv.FormatBool(c.Available), c.Reason}
	if l := c.Latency; l == nil {
		cells = append(cells, "", "", "", "")
	} else if l.Confidence == 0 {
		cells = append(cells, number(l.MedianNS), "", "", number(l.MinNS))
	} else {
		cells = append(cells, number(l.MedianNS), number(l.LowNS), number(l.HighNS), number(l.MinNS))
	}
	if r := c.Resolution; r != nil {
		return append(cells, known(r.TickNS), strconv.FormatBool(r.FinerThanRead), known(r.ReportedNS))
	}
	return append(cells, "", "", "")
}

func number(value float64) string { return strconv.FormatFloat(value, 'f', -1, 64) }

// known is empty for the zero that means "not known".
func known(value float64) string {
	if value == 0 {
		return ""
	}
	return number(value)
}
