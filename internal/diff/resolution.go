package diff

import (
	"time"

	"github.com/timebench/timebench/internal/compare"
	"github.com/timebench/timebench/internal/result"
)

// otherTick is how many times as long one tick must be as the other to be another one:
// below that a tick was seen late, or twice in one.
const otherTick = 2

// leastTickNS is the shortest tick that is compared. Whether the values of a finer clock
// repeat depends on how fast it is read.
const leastTickNS = 1000

// resolutions lists the clocks whose values step otherwise in the two documents, and those
// of which the system states another resolution.
func resolutions(old, new *result.Document) []Difference {
	var all []Difference
	for _, before := range compare.Of(old).Clocks {
		for _, after := range compare.Of(new).Clocks {
			a, b := before.Resolution, after.Resolution
			if after.ID != before.ID || a == nil || b == nil {
				continue
			}
			if low, high := min(step(a), step(b)), max(step(a), step(b)); high >= leastTickNS && high > otherTick*low && ticked(a) && ticked(b) {
				all = append(all, Difference{before.ID + " ticks", tickText(a), tickText(b)})
			}
			if a.ReportedNS != b.ReportedNS {
				all = append(all, Difference{before.ID + " states", span(a.ReportedNS), span(b.ReportedNS)})
			}
		}
	}
	return all
}

// ticked reports whether the clock was seen to step evenly.
func ticked(r *compare.Resolution) bool { return r.TickNS > 0 && r.TickHighNS == 0 }

// step is the tick, 0 where it is shorter than a read.
func step(r *compare.Resolution) float64 {
	if r.FinerThanRead {
		return 0
	}
	return r.TickNS
}

func tickText(r *compare.Resolution) string {
	if r.FinerThanRead {
		return "under a read"
	}
	return "every " + span(r.TickNS)
}

// span words nanoseconds; "" for 0, which is not known.
func span(ns float64) string {
	if ns == 0 {
		return ""
	}
	return time.Duration(ns).String()
}
