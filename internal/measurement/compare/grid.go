package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

// byLatency returns the clocks that were measured, the fastest first.
func byLatency(d *result.Document) []Clock {
	var measured []Clock
	for _, c := range Of(d).Clocks {
		if c.Available && c.Latency != nil {
			measured = append(measured, c)
		}
	}
	slices.SortStableFunc(measured, byMedian)
	return measured
}

func latencyGrid(d *result.Document) table.Grid {
	g := table.Grid{
		Title:  "Latency and resolution",
		Header: []string{"Clock", "ns/read", "95% CI", "min", "resolution", "reported"}, Spare: []int{3, 5, 2},
	}
	// Kernel entry is tested on Linux only.
	entries := slices.ContainsFunc(Of(d).Clocks, func(c Clock) bool { return c.KernelEntry != "" })
	if entries {
		g.Header = append(g.Header, "enters kernel")
	}
	for _, c := range byLatency(d) {
		row := []string{c.ID, words.NS(c.Latency.MedianNS), Interval(c.Latency), words.NS(c.Latency.MinNS), Tick(c.Resolution), stated(c.Resolution)}
		if entries {
			row = append(row, EntersKernel(c.KernelEntry))
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// finerThanRead stands for the resolution of a clock of which each read has another value.
const finerThanRead = "< one read"

// EntersKernel returns the kernel entry of a clock as the answer to the heading "enters kernel".
func EntersKernel(entry string) string {
	answers := map[string]string{result.Never: "no", result.Always: "yes"}
	return cmp.Or(answers[entry], entry, "-")
}

// Interval returns the confidence interval of a latency.
func Interval(l *Latency) string {
	if l.Confidence == 0 {
		return "needs 6 rounds"
	}
	return words.NS(l.LowNS) + " to " + words.NS(l.HighNS)
}

// Tick returns the step of the values of a clock; r may be nil.
func Tick(r *Resolution) string {
	switch {
	case r == nil:
		return "not watched"
	case r.FinerThanRead:
		return finerThanRead
	case r.TickHighNS > 0:
		return words.Duration(r.TickLowNS) + " to " + words.Duration(r.TickHighNS)
	case r.TickNS > 0:
		return words.Duration(r.TickNS)
	case r.Ticks > 0 || r.Moved:
		return "unknown"
	default:
		return "> " + words.Duration(float64(r.WatchedNS))
	}
}

func stated(r *Resolution) string {
	if r == nil || r.ReportedNS == 0 {
		return "-"
	}
	return words.Duration(r.ReportedNS)
}

func throughputGrid(d *result.Document) table.Grid {
	g := table.Grid{Title: "Wall time of one thread in ns/read, by number of threads", Header: []string{"Clock"}}
	if d.Settings.Workers == "processes" {
		g.Title = "Wall time of one process in ns/read, by number of processes"
	}
	counts := measuredThreads(d)
	if len(counts) == 0 {
		return g
	}
	all, disturbed := subjects(d), ""
	for _, threads := range counts {
		name, beyond := strconv.Itoa(threads), oversubscribed(all, threads)
		if beyond {
			name += "*"
			g.Note = "* oversubscribed: more threads than CPUs; the time includes waiting for a CPU."
		}
		g.Optional = append(g.Optional, table.Optional{Column: len(g.Header), Number: threads, Oversubscribed: beyond})
		g.Header = append(g.Header, name)
	}
	last := counts[len(counts)-1]
	g.Header = append(g.Header, fmt.Sprintf("total at %d", last), "fairness")
	g.Spare = []int{len(g.Header) - 1, len(g.Header) - 2}
	for _, c := range byLatency(d) {
		if len(c.Throughput) == 0 {
			continue
		}
		row := []string{c.ID}
		for _, threads := range counts {
			row = append(row, cellOf(c, threads, func(t Throughput) string { return words.NS(t.NSPerRead) + t.mark() }))
			if strings.HasSuffix(row[len(row)-1], disturbedMark) {
				disturbed = disturbedMark + " disturbed by other programs: fewer than three samples without them."
			}
		}
		row = append(row,
			cellOf(c, last, func(t Throughput) string { return words.Rate(t.ReadsPerSecond) }),
			cellOf(c, last, func(t Throughput) string { return strconv.FormatFloat(t.Fairness, 'f', 2, 64) }))
		g.Rows = append(g.Rows, row)
	}
	g.Note = strings.TrimSpace(g.Note + "\n" + disturbed)
	return g
}

// disturbedMark marks a disturbed figure in tables and pictures.
const disturbedMark = "?"

func (t Throughput) mark() string {
	if t.Disturbed {
		return disturbedMark
	}
	return ""
}

func distributionGrid(d *result.Document) table.Grid {
	g := table.Grid{
		Title:  "Distribution of single reads, in ns",
		Header: []string{"Clock", "p50", "p90", "p99", "p99.9", "max", "≥ 10 × p50"}, Spare: []int{6, 2, 4},
	}
	steps := ""
	for _, c := range byLatency(d) {
		one := c.Distribution
		if one == nil || one.Reads == 0 {
			continue
		}
		g.Rows = append(g.Rows, []string{c.ID, words.NS(one.P50NS), words.NS(one.P90NS), words.NS(one.P99NS), words.NS(one.P999NS), words.Duration(one.MaxNS), oneIn(one.TenfoldReads, one.Reads)})
		g.Note = fmt.Sprintf("Each read is timed by two reads of %s; every figure includes them", one.Counter)
		if one.BracketNS > 0 {
			g.Note += fmt.Sprintf(" (%s ns around an empty call)", words.NS(one.BracketNS))
		}
		if coarse := one.CounterStepNS; coarse > coarseStepNS {
			steps = fmt.Sprintf(" Many times are multiples of %s, so no figure is finer than that.", words.Duration(coarse))
		}
		g.Note += "."
	}
	g.Note += steps
	return g
}

// coarseStepNS is the step of the times, in ns, from which a distribution has a note about it.
const coarseStepNS = 2

// oneIn returns a share as text: 1 in 1,000.
func oneIn(n, of int64) string {
	if n == 0 {
		return "none of " + words.Thousands(of)
	}
	return "1 in " + words.Thousands(int64(math.Round(float64(of)/float64(n))))
}

func cellOf(c Clock, threads int, word func(Throughput) string) string {
	for _, t := range c.Throughput {
		if t.Threads == threads {
			return word(t)
		}
	}
	return "-"
}

// oversubscribed reports whether this number of threads was larger than that of the CPUs.
func oversubscribed(subjects []Subject, threads int) bool {
	for _, s := range subjects {
		for _, t := range s.Throughput {
			if t.Threads == threads {
				return t.Oversubscribed
			}
		}
	}
	return false
}

// measuredThreads returns the numbers of threads with results. An interrupted run does not have
// all requested ones.
func measuredThreads(d *result.Document) []int {
	return slices.DeleteFunc(slices.Clone(d.Settings.Threads), func(threads int) bool {
		return !slices.ContainsFunc(Of(d).Clocks, func(c Clock) bool {
			return slices.ContainsFunc(c.Throughput, func(t Throughput) bool { return t.Threads == threads })
		})
	})
}
