package compare

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

// entryMarks follow the figure of a read that enters the kernel. A word is not mistaken for a unit.
var entryMarks = map[string]string{result.Always: " (kernel)", result.Sometimes: " (kernel?)"}

func sourcesGrid(d *result.Document) table.Grid {
	note, width := "(kernel): a read enters the kernel.", len(entryMarks[result.Always])
	if slices.ContainsFunc(BySource(d), func(e Experiment) bool {
		return slices.ContainsFunc(e.Clocks, func(c Clock) bool { return c.KernelEntry == result.Sometimes })
	}) {
		width = len(entryMarks[result.Sometimes])
		note = "(kernel): a read enters the kernel; (kernel?): some reads do."
	}
	g := sideBySide(d, "Latency by clock source, in ns/read", func(c Clock) string {
		if c.Latency == nil {
			return ""
		}
		return fmt.Sprintf("%s%-*s", words.NS(c.Latency.MedianNS), width, entryMarks[c.KernelEntry])
	})
	g.Note = note
	return g
}

// sourceThroughputGrid has the total throughput by clock source, at the largest number of threads
// that is not oversubscribed.
func sourceThroughputGrid(d *result.Document) table.Grid {
	counts, oversubscribed := threadsOf(Of(d).Clocks, Clock.throughput)
	most := 0
	for _, threads := range counts {
		if most == 0 || !oversubscribed[threads] {
			most = threads
		}
	}
	if most == 0 {
		return table.Grid{}
	}
	return sideBySide(d, fmt.Sprintf("Reads per second of %s by clock source, and the ratio to one thread",
		workers(d, most)), func(c Clock) string {
		one, all := with(1, c.Throughput), with(most, c.Throughput)
		switch {
		case all == nil || all.ReadsPerSecond == 0:
			return ""
		case one == nil || one.ReadsPerSecond == 0 || most == 1:
			return words.Rate(all.ReadsPerSecond)
		default:
			gain := all.ReadsPerSecond / one.ReadsPerSecond
			return words.Rate(all.ReadsPerSecond) + " × " + strconv.FormatFloat(gain, 'f', 2, 64)
		}
	})
}

func workers(d *result.Document, n int) string {
	if d.Settings.Workers == "processes" {
		return strconv.Itoa(n) + " processes"
	}
	return words.Plural(n, "thread")
}

// sideBySide returns a table with a column for each clock source and a row for each clock, the fastest first; empty
// without experiments.
func sideBySide(d *result.Document, title string, cell func(Clock) string) table.Grid {
	sources := BySource(d)
	if len(sources) == 0 {
		return table.Grid{}
	}
	columns := []table.Column[Clock]{clockColumn}
	for _, source := range sources {
		columns = append(columns, table.Column[Clock]{Name: source.ClockSource, Cell: func(c Clock) string {
			if c := clockOf(source.Clocks, c.ID); c != nil {
				return cell(*c)
			}
			return ""
		}})
	}
	return table.Of(title, byLatency(d), columns)
}
