package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/measurement/counter"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

// coarseNS is the tick in nanoseconds from which a clock counts as coarse: too slow to
// distinguish two events on a hot path. Hardware counters tick faster, and kernels slower.
const coarseNS = 10_000

// kinds are the kinds of clocks that a program chooses from, with their names in the summary.
var kinds = []struct {
	name string
	is   func(Clock) bool
}{
	{"Monotonic, fine", func(c Clock) bool { return c.Kind == "monotonic" && fine(c) }},
	{"Monotonic, coarse", func(c Clock) bool { return c.Kind == "monotonic" && coarse(c) }},
	{"Wall clock, fine", func(c Clock) bool { return c.Kind == "wall" && fine(c) }},
	{"Wall clock, coarse", func(c Clock) bool { return c.Kind == "wall" && coarse(c) }},
	{"CPU time", func(c Clock) bool { return c.Kind == "cpu time" }},
	{"User CPU time, fine", func(c Clock) bool { return c.Kind == "user time" && fine(c) }},
	{"User CPU time, coarse", func(c Clock) bool { return c.Kind == "user time" && coarse(c) }},
	{"Bare counter", func(c Clock) bool { return c.Kind == "counter" }},
}

// coarse reports whether a clock ticks slowly, or did not tick at all. If its tick is unknown, its reported resolution
// decides; without one it is coarse, because its values repeat.
func coarse(c Clock) bool {
	switch r := c.Resolution; {
	case r == nil || r.FinerThanRead:
		return false
	case r.TickNS > 0:
		return r.TickNS >= coarseNS
	default:
		return r.Ticks == 0 || r.ReportedNS == 0 || r.ReportedNS >= coarseNS
	}
}

// fine reports whether a clock was watched and is not coarse. In an interrupted run some clocks
// were not watched.
func fine(c Clock) bool { return c.Resolution != nil && !coarse(c) }

// summary returns the fastest clocks of each kind, and the ratio of the others to them.
func summary(d *result.Document) []table.Fact {
	var lines []table.Fact
	for _, kind := range kinds {
		var all []Clock
		for _, c := range Of(d).Clocks {
			if c.Available && c.Latency != nil && kind.is(c) {
				all = append(all, c)
			}
		}
		if len(all) > 0 {
			value := fastestOf(all)
			if slices.ContainsFunc(all, func(c Clock) bool { return c.Path == "cpu" }) { // not the HPET
				value += " " + judged(counter.Of(d))
			}
			lines = append(lines, table.Fact{Name: kind.name, Value: value})
		}
	}
	return lines
}

// judged returns whether a program may read the counter itself.
func judged(c *counter.Counter) string {
	if c == nil {
		return "`timebench doctor` checks whether a program may read it."
	}
	return "May a program read it? " + c.Word() + "."
}

// fastestOf returns a sentence about clocks of the same kind, in the order of the catalogue: the usual clocks first.
func fastestOf(all []Clock) string {
	lowest, _ := extremes(all)
	var fastest, others []string
	var equal, rest []Clock
	for _, c := range all {
		if slower(c.Latency, lowest.Latency) {
			rest = append(rest, c)
		} else {
			fastest, equal = append(fastest, c.ID), append(equal, c)
		}
	}
	slices.SortStableFunc(rest, byMedian)
	for _, c := range rest {
		others = append(others, fmt.Sprintf("%s %s×", c.ID, words.Times(c.Latency.MedianNS/lowest.Latency.MedianNS)))
	}
	ns := words.NS(equal[0].Latency.MedianNS)
	text := fmt.Sprintf("%s is the fastest, %s ns/read.", fastest[0], ns)
	if len(fastest) > 1 {
		if low, high := extremes(equal); words.NS(low.Latency.MedianNS) != words.NS(high.Latency.MedianNS) {
			ns = words.NS(low.Latency.MedianNS) + " to " + words.NS(high.Latency.MedianNS)
		}
		text = fmt.Sprintf("%s are the fastest, %s ns/read (no significant difference).", strings.Join(fastest, ", "),
			ns)
	}
	if len(others) > 0 {
		text += " Slower: " + strings.Join(others, ", ") + "."
	}
	return text
}

// slower reports whether the medians differ by what diff would call a change, and as printed, and their confidence
// intervals, if any, do not overlap. The intervals alone do not suffice: for quantised clocks they have no width.
func slower(l, fastest *Latency) bool {
	overlap := l.Confidence > 0 && fastest.Confidence > 0 && l.LowNS <= fastest.HighNS
	return !overlap && fastest.MedianNS > 0 && l.MedianNS >= fastest.MedianNS*(1+section.Usual.MinChange) &&
		words.NS(l.MedianNS) != words.NS(fastest.MedianNS)
}

func byMedian(a, b Clock) int { return cmp.Compare(a.Latency.MedianNS, b.Latency.MedianNS) }

func extremes(clocks []Clock) (low, high Clock) {
	return slices.MinFunc(clocks, byMedian), slices.MaxFunc(clocks, byMedian)
}

// missing returns a line for each reason why clocks are not available.
func missing(d *result.Document) []table.Fact {
	var lines []table.Fact
	unavailable := slices.DeleteFunc(slices.Clone(Of(d).Clocks), func(c Clock) bool { return c.Available })
	for _, of := range grouped([][]Clock{unavailable}, func(c Clock) string { return c.Reason }) {
		var ids []string
		for _, c := range of {
			ids = append(ids, c.ID)
		}
		lines = append(lines, table.Fact{Name: strings.Join(ids, ", "), Value: of[0].Reason})
	}
	return lines
}

// answer returns how long a read of the clocks takes, or why no clock was read, in one sentence. Package diagnose
// reports whether that is slow, for the clocks that programs read most.
func (c *Costs) answer() string {
	clocks := c.Clocks
	timed := slices.DeleteFunc(slices.Clone(clocks), func(c Clock) bool { return !c.Available || c.Latency == nil })
	switch {
	case len(timed) == 1:
		return fmt.Sprintf("Reading %s takes %s.", timed[0].ID, words.Duration(timed[0].Latency.MedianNS))
	case len(timed) > 1:
		low, high := extremes(timed)
		text := fmt.Sprintf("Reading one of the %d clocks takes %s", len(timed), words.Duration(low.Latency.MedianNS))
		if highest := words.Duration(high.Latency.MedianNS); highest != words.Duration(low.Latency.MedianNS) {
			text += fmt.Sprintf(" (%s) to %s (%s)", low.ID, highest, high.ID)
		}
		return text + "."
	case slices.ContainsFunc(clocks, func(c Clock) bool { return c.Available }) || len(clocks) == 0:
		return "No read of a clock was timed."
	case len(clocks) == 1:
		return fmt.Sprintf("%s could not be read: %s.", clocks[0].ID, clocks[0].Reason)
	}
	return fmt.Sprintf("None of the %d clocks could be read; the reasons are below.", len(clocks))
}
