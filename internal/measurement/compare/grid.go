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

// byLatency returns the measured clocks, the fastest first.
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
	var all []line
	for _, c := range byLatency(d) {
		all = append(all, line{Clock: c})
	}
	return table.Of("Latency and resolution", all, columns)
}

// EntersKernel returns the kernel entry of a clock as the answer to the heading "enters kernel".
func EntersKernel(entry string) string {
	answers := map[string]string{result.Never: "no", result.Always: "yes"}
	return cmp.Or(answers[entry], entry)
}

// Tick returns the step of the values of a clock; r may be nil.
func Tick(r *Resolution) string {
	switch {
	case r == nil:
		return "not watched"
	case r.FinerThanRead:
		return "< one read" // its value changes with each read
	case r.TickHighNS > 0:
		return words.Duration(r.TickLowNS) + " to " + words.Duration(r.TickHighNS)
	case r.TickNS > 0:
		return words.Duration(r.TickNS)
	case r.Ticks > 0:
		return "unknown"
	default:
		return "> " + words.Duration(float64(r.WatchedNS))
	}
}

// clockColumn is the first column of tables with a row for each clock.
var clockColumn = table.Column[Clock]{
	Name: "Clock", Left: true, Text: func(c Clock) string { return c.ID },
}

// everydayColumn is clockColumn with the everyday clocks first on the first screen.
var everydayColumn = table.Column[Clock]{
	Name: "Clock", Left: true, Text: func(c Clock) string { return c.ID },
	First: func(c Clock) bool { return IsEveryday(c.ID) },
}

func throughputGrid(d *result.Document) table.Grid {
	title := "Wall time of one thread in ns/read, by number of threads"
	if d.Settings.Workers == "processes" {
		title = "Wall time of one process in ns/read, by number of processes"
	}
	clocks := slices.DeleteFunc(byLatency(d), func(c Clock) bool { return len(c.Throughput) == 0 })
	if len(clocks) == 0 {
		return table.Grid{}
	}
	columns, note := ThreadColumns(clocks, Clock.throughput,
		func(t *Throughput) string { return words.NS(t.NSPerRead) + t.mark() })
	var notes []string
	if note != "" {
		title, notes = title+" (*: more than CPUs)", []string{note}
	}
	counts, _ := threadsOf(clocks, Clock.throughput)
	last := counts[len(counts)-1]
	within := table.Within(func(c Clock) *Throughput { return with(last, c.Throughput) }, "")
	g := table.Of(title, clocks, append(append([]table.Column[Clock]{everydayColumn}, columns...),
		table.Column[Clock]{Name: fmt.Sprintf("total at %d", last), Spare: 1,
			Cell: within(func(t *Throughput) string { return words.Rate(t.ReadsPerSecond) })},
		table.Column[Clock]{Name: "fairness", Spare: 2,
			Cell: within(func(t *Throughput) string { return strconv.FormatFloat(t.Fairness, 'f', 2, 64) })}))
	if slices.ContainsFunc(clocks, func(c Clock) bool {
		return slices.ContainsFunc(c.Throughput, func(t Throughput) bool { return t.Disturbed })
	}) {
		notes = append(notes, disturbedMark+" disturbed by other programs: fewer than three samples without them.")
	}
	g.Note, g.Instead = strings.Join(notes, "\n"), d.Settings.ThreadsChosen
	return g
}

func (clock Clock) throughput() []Throughput { return clock.Throughput }

// disturbedMark marks a disturbed figure in tables.
const disturbedMark = "?"

func (t *Throughput) mark() string {
	if t.Disturbed {
		return disturbedMark
	}
	return ""
}

var distributionColumns = []table.Column[Clock]{
	everydayColumn,
	percentile("p50", 0, func(d *Distribution) float64 { return d.P50NS }),
	percentile("p90", 2, func(d *Distribution) float64 { return d.P90NS }),
	percentile("p99", 0, func(d *Distribution) float64 { return d.P99NS }),
	percentile("p99.9", 1, func(d *Distribution) float64 { return d.P999NS }),
	{Name: "max", Cell: func(c Clock) string { return words.Duration(c.Distribution.MaxNS) }},
	{Name: "≥ 10 × p50", Spare: 3,
		Cell: func(c Clock) string { return oneIn(c.Distribution.TenfoldReads, c.Distribution.Reads) }},
}

func percentile(name string, spare int, value func(*Distribution) float64) table.Column[Clock] {
	return table.Column[Clock]{Name: name, Spare: spare,
		Cell: func(c Clock) string { return words.NS(value(c.Distribution)) }}
}

func distributionGrid(d *result.Document) table.Grid {
	clocks := slices.DeleteFunc(byLatency(d),
		func(c Clock) bool { return c.Distribution == nil || c.Distribution.Reads == 0 })
	g := table.Of("Distribution of single reads, in ns", clocks, distributionColumns)
	steps := ""
	for _, c := range clocks {
		one := c.Distribution
		g.Note = fmt.Sprintf("Each read is timed by two reads of %s; every figure includes them", one.Counter)
		if one.BracketNS > 0 {
			g.Note += fmt.Sprintf(" (%s ns around an empty call)", words.NS(one.BracketNS))
		}
		if coarse := one.CounterStepNS; coarse > coarseStepNS {
			steps = fmt.Sprintf(" Many times are multiples of %s, so no figure is finer than that.",
				words.Duration(coarse))
		}
		g.Note += "."
	}
	g.Note += steps
	g.Instead = true // --distribution asked for it
	return g
}

// coarseStepNS is the step of the times, in ns, above which a distribution has a note about it.
const coarseStepNS = 2

// oneIn returns a share as text: 1 in 1,000.
func oneIn(n, of int64) string {
	if n == 0 {
		return "none of " + words.Thousands(of)
	}
	return "1 in " + words.Thousands(int64(math.Round(float64(of)/float64(n))))
}
