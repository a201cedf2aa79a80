package diagnose

import (
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/words"
)

// rows returns evidence on clocks, one row for all with the same story:
// "6 fine clocks · 1.4 µs/read · every read enters the kernel".
func rows(d *result.Document, clocks []compare.Clock, story func(compare.Clock) string) []string {
	type group struct {
		story  string
		coarse bool
	}
	var groups []group
	members := map[group][]compare.Clock{}
	for _, c := range clocks {
		g := group{story(c), isCoarse(c)}
		if len(members[g]) == 0 {
			groups = append(groups, g)
		}
		members[g] = append(members[g], c)
	}
	var rows []string
	for _, g := range groups {
		same := members[g]
		rows = append(rows, strings.Join(words.Present(subject(d, same), cost(same...), g.story), " · "))
	}
	return rows
}

func row(c compare.Clock) string { return c.ID + " · " + cost(c) }

// subject returns the ids of clocks, or their number if they are all fine or all coarse clocks of the vDSO.
func subject(d *result.Document, clocks []compare.Clock) string {
	noun, is := "fine clock", isFine
	if isCoarse(clocks[0]) {
		noun, is = "coarse clock", isCoarse
	}
	all := 0
	for _, c := range compare.Of(d).Clocks {
		if c.Available && is(c) {
			all++
		}
	}
	if len(clocks) == all && all > 1 && !slices.ContainsFunc(clocks, func(c compare.Clock) bool { return !is(c) }) {
		return words.Plural(all, noun)
	}
	var ids []string
	for _, c := range clocks {
		ids = append(ids, c.ID)
	}
	return strings.Join(ids, ", ")
}

// isCoarse reports whether the kernel stores the value of a clock of the vDSO at each tick, or each second.
func isCoarse(c compare.Clock) bool {
	return slices.Contains(coarseClocks, c.ID) || c.ID == "time@vdso"
}

// isFine reports whether a clock of the vDSO is neither coarse nor of CPU time, which no vDSO supports
// (lib/vdso/gettimeofday.c).
func isFine(c compare.Clock) bool { return c.Path == "vdso" && c.Kind != "cpu time" && !isCoarse(c) }

// cost returns the lowest and the highest cost of clocks, and of one clock the confidence interval; "" if a reason says
// why a clock has none.
func cost(clocks ...compare.Clock) string {
	var medians []float64
	for _, c := range clocks {
		if c.Latency != nil {
			medians = append(medians, c.Latency.MedianNS)
		}
	}
	if len(medians) == 0 {
		if clocks[0].Reason != "" {
			return ""
		}
		return "not timed"
	}
	text := between(slices.Min(medians), slices.Max(medians)) + "/read"
	if l := clocks[0].Latency; len(clocks) == 1 && l.Confidence > 0 {
		if interval := between(l.LowNS, l.HighNS); strings.Contains(interval, " to ") {
			text += " (95% CI " + interval + ")"
		}
	}
	return text
}

// between returns a range of durations; one figure if both ends look the same.
func between(lowNS, highNS float64) string {
	low, high := words.Duration(lowNS), words.Duration(highNS)
	if low == high {
		return low
	}
	return low + " to " + high
}
