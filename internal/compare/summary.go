package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/table"
	"github.com/timebench/timebench/internal/words"
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
	{"Bare counter", func(c Clock) bool { return c.Kind == "counter" }},
}

// coarse reports whether a clock ticks slowly, or did not tick at all.
func coarse(c Clock) bool {
	return c.Resolution != nil && !c.Resolution.FinerThanRead && (c.Resolution.TickNS >= coarseNS || c.Resolution.Ticks == 0)
}

// fine reports whether a clock was watched and is not coarse. In an interrupted run some clocks
// were not watched.
func fine(c Clock) bool { return c.Resolution != nil && !coarse(c) }

// summary returns the fastest clocks of each kind, and the ratio of the others to them.
func summary(d *result.Document) []table.Fact {
	var lines []table.Fact
	for _, kind := range kinds {
		var all []Clock
		for _, c := range byLatency(d) {
			if kind.is(c) {
				all = append(all, c)
			}
		}
		if len(all) > 0 {
			lines = append(lines, table.Fact{Name: kind.name, Value: fastestOf(d, all)})
		}
	}
	return lines
}

// fastestOf returns a sentence about clocks of one kind, which are sorted by latency. A clock
// counts as fastest too if its interval overlaps that of the first.
func fastestOf(d *result.Document, all []Clock) string {
	first := all[0].Latency
	var fastest, slower []string
	for _, c := range Of(d).Clocks { // in the order of the catalogue: the usual clocks first
		i := slices.IndexFunc(all, func(other Clock) bool { return other.ID == c.ID })
		if i == 0 || i > 0 && first.Confidence > 0 && all[i].Latency.Confidence > 0 && all[i].Latency.LowNS <= first.HighNS {
			fastest = append(fastest, c.ID)
		}
	}
	for _, c := range all {
		if !slices.Contains(fastest, c.ID) {
			slower = append(slower, fmt.Sprintf("%s %s×", c.ID, words.Times(c.Latency.MedianNS/first.MedianNS)))
		}
	}
	text := fmt.Sprintf("%s is the fastest, %s ns/read.", fastest[0], words.NS(first.MedianNS))
	if len(fastest) > 1 {
		text = fmt.Sprintf("%s are the fastest, %s ns/read (no significant difference).", strings.Join(fastest, ", "), words.NS(first.MedianNS))
	}
	if len(slower) > 0 {
		text += " Slower: " + strings.Join(slower, ", ") + "."
	}
	return text
}

// missing returns a line for each reason why clocks are not available.
func missing(d *result.Document) []table.Fact {
	var lines []table.Fact
	index := map[string]int{}
	for _, c := range Of(d).Clocks {
		if c.Available {
			continue
		}
		if i, ok := index[c.Reason]; ok {
			lines[i].Name += ", " + c.ID
			continue
		}
		index[c.Reason] = len(lines)
		lines = append(lines, table.Fact{Name: c.ID, Value: c.Reason})
	}
	return lines
}
