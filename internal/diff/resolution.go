package diff

import (
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/words"
)

// otherTick is the smallest ratio of two ticks that counts as a difference: below it, a tick came
// late, or two ticks were seen as one.
const otherTick = 2

// leastTickNS is the shortest tick that is compared. The values of a finer clock repeat or not
// depending on the speed of the reads.
const leastTickNS = 1000

func resolutions(old, new *result.Document) []Difference {
	var all []Difference
	id := func(c compare.Clock) string { return c.ID }
	section.Match(compare.Of(old).Clocks, compare.Of(new).Clocks, id, func(before, after compare.Clock) {
		a, b := before.Resolution, after.Resolution
		if a == nil || b == nil {
			return
		}
		if low, high := min(step(a), step(b)), max(step(a), step(b)); high >= leastTickNS && high > otherTick*low && ticked(a) && ticked(b) {
			all = append(all, Difference{"Resolution of " + before.ID, tickText(a), tickText(b)})
		}
		if a.ReportedNS != b.ReportedNS {
			all = append(all, Difference{"Reported resolution of " + before.ID, reported(a.ReportedNS), reported(b.ReportedNS)})
		}
	})
	return all
}

// ticked reports whether the clock has an even tick.
func ticked(r *compare.Resolution) bool { return r.TickNS > 0 && r.TickHighNS == 0 }

// step returns the tick; 0 if the clock is finer than one read.
func step(r *compare.Resolution) float64 {
	if r.FinerThanRead {
		return 0
	}
	return r.TickNS
}

func tickText(r *compare.Resolution) string {
	if r.FinerThanRead {
		return "< one read"
	}
	return words.Duration(r.TickNS)
}

// reported returns nanoseconds as text; "" for 0, which means that nothing is reported.
func reported(ns float64) string {
	if ns == 0 {
		return ""
	}
	return words.Duration(ns)
}
