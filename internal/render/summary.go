package render

import (
	"fmt"
	"strings"

	"github.com/timebench/timebench/internal/result"
)

// coarseNS is the tick in nanoseconds from which a clock counts as coarse: too
// slow to tell two events on a hot path apart.
const coarseNS = 100_000

// kinds are the kinds of clock between which a program chooses, as the summary
// words them.
var kinds = []struct {
	name string
	is   func(result.Clock) bool
}{
	{"Monotonic, fine", func(c result.Clock) bool { return c.Kind == "monotonic" && !coarse(c) }},
	{"Monotonic, coarse", func(c result.Clock) bool { return c.Kind == "monotonic" && coarse(c) }},
	{"Wall clock, fine", func(c result.Clock) bool { return c.Kind == "wall" && !coarse(c) }},
	{"Wall clock, coarse", func(c result.Clock) bool { return c.Kind == "wall" && coarse(c) }},
	{"CPU time", func(c result.Clock) bool { return c.Kind == "cpu time" }},
	{"Bare counter", func(c result.Clock) bool { return c.Kind == "counter" }},
}

// coarse reports whether a clock was seen to tick seldom, or not at all.
func coarse(c result.Clock) bool {
	return c.Resolution != nil && !c.Resolution.FinerThanRead && (c.Resolution.TickNS >= coarseNS || c.Resolution.Ticks == 0)
}

// summary names the cheapest clock of each kind, and how much dearer the others
// are.
func summary(d *result.Document) []fact {
	var lines []fact
	measured := byCost(d)
	for _, kind := range kinds {
		var cheapest *result.Clock
		var others []string
		for _, c := range measured {
			switch {
			case !kind.is(c):
			case cheapest == nil:
				cheapest = &c
			default:
				others = append(others, fmt.Sprintf("%s %s", c.ID, times(c.Latency.MedianNS/cheapest.Latency.MedianNS)))
			}
		}
		if cheapest == nil {
			continue
		}
		line := fmt.Sprintf("%s costs least, %s ns.", cheapest.ID, ns(cheapest.Latency.MedianNS))
		if len(others) > 0 {
			line += " As many times dearer: " + strings.Join(others, ", ") + "."
		}
		lines = append(lines, fact{kind.name, line})
	}
	return lines
}

func times(ratio float64) string {
	if ratio < 10 {
		return fmt.Sprintf("%.2f", ratio)
	}
	return threeDigits(ratio)
}

// warnings are the lines that a reader must not miss.
func warnings(d *result.Document) []string {
	var lines []string
	if d.Interrupted {
		lines = append(lines, "This run was interrupted: only what was complete by then is shown.")
	}
	for _, c := range d.Clocks {
		if r := c.Resolution; r != nil && r.Backwards > 0 {
			lines = append(lines, fmt.Sprintf("%s went backwards %s while it was watched, by up to %s.",
				c.ID, plural(int(r.Backwards), "time"), duration(r.WorstBackwardsNS)))
		}
	}
	return lines
}

// missing says which clocks are not there and why: one line a reason.
func missing(d *result.Document) []fact {
	var lines []fact
	index := map[string]int{}
	for _, c := range d.Clocks {
		if c.Available {
			continue
		}
		if i, ok := index[c.Reason]; ok {
			lines[i].name += ", " + c.ID
			continue
		}
		index[c.Reason] = len(lines)
		lines = append(lines, fact{c.ID, c.Reason})
	}
	return lines
}
