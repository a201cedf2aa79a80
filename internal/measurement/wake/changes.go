package wake

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

const changesTitle = "Lateness of sleeps"

// compared returns what changed in the lateness of the ways. The verdicts are the same as on clocks.
func compared(old, new *result.Document, s section.Settings) (section.Comparison, bool) {
	before, after := Of(old), Of(new)
	if before == nil && after == nil {
		return section.Comparison{}, false
	}
	c := compare.Compare(subjects(before), subjects(after), false, s,
		compare.Wording{Title: changesTitle, Subject: "Way", Unit: "ns late"})
	changes := c.Value.(*compare.Changes)
	switch {
	case after == nil:
		changes.OnlyIn = section.InOld
	case before == nil:
		changes.OnlyIn = section.InNew
	default:
		c.Settings = section.Differing(
			section.Difference{What: "timer slack", Old: words.Duration(float64(before.Timers.SlackNS)),
				New: words.Duration(float64(after.Timers.SlackNS))},
			section.Difference{What: "timer device", Old: before.Timers.Device, New: after.Timers.Device},
			section.Difference{What: "idle driver and governor", Old: before.Timers.idle(), New: after.Timers.idle()},
			section.Difference{What: "busy threads of wake", Old: strconv.Itoa(before.BusyThreads),
				New: strconv.Itoa(after.BusyThreads)},
			section.Difference{What: "CPUs of wake", Old: words.Numbers(before.CPUs), New: words.Numbers(after.CPUs)})
		return c, true
	}
	c.Block = table.Block{Title: changesTitle, Verdict: changes.Absent()}
	return c, true
}

// subjects returns a subject for each way and span. A way with early sleeps has no cost to compare.
func subjects(w *Wake) []compare.Subject {
	var all []compare.Subject
	if w == nil {
		return nil
	}
	for _, way := range w.Ways {
		for i := range way.Spans {
			s := &way.Spans[i]
			of := compare.Subject{Name: way.ID + ", " + words.Duration(float64(s.SpanNS)), ContendedFrom: math.MaxInt}
			if len(s.PartMediansNS) > 0 && slices.Min(s.PartMediansNS) > 0 {
				of.Latency = compare.LatencyOf(s.PartMediansNS, nil)
				of.Latency.Runs = s.Runs
			} else {
				of.Reason = "it ends early"
			}
			all = append(all, of)
		}
	}
	return all
}

// Join returns the lateness of several runs on one machine: of each way and span the run with the median lateness, with
// the parts of all runs. Everything else is that of the first run.
func Join(runs []*Wake) *Wake {
	joined := *runs[0]
	joined.Ways = slices.Clone(joined.Ways)
	for i := range joined.Ways {
		way := &joined.Ways[i]
		way.Spans = slices.Clone(way.Spans)
		for k := range way.Spans {
			way.Spans[k] = joinSpans(spansOf(runs, way.ID, way.Spans[k].SpanNS))
		}
	}
	for _, run := range runs[1:] {
		joined.DurationNS += run.DurationNS
	}
	return &joined
}

func spansOf(runs []*Wake, id string, spanNS int64) (all []SleepSpan) {
	for _, run := range runs {
		for _, way := range run.Ways {
			for _, s := range way.Spans {
				if way.ID == id && s.SpanNS == spanNS {
					all = append(all, s)
				}
			}
		}
	}
	return all
}

func joinSpans(runs []SleepSpan) SleepSpan {
	byMedian := slices.SortedFunc(slices.Values(runs),
		func(a, b SleepSpan) int { return cmp.Compare(a.MedianLateNS, b.MedianLateNS) })
	joined := byMedian[(len(runs)-1)/2]
	joined.Samples, joined.Early, joined.PartMediansNS, joined.Runs = 0, 0, nil, nil
	for _, s := range runs {
		joined.Samples, joined.Early = joined.Samples+s.Samples, joined.Early+s.Early
		joined.MinLateNS = min(joined.MinLateNS, s.MinLateNS)
		if s.MaxLateNS > joined.MaxLateNS {
			joined.MaxLateNS, joined.MaxAtNS = s.MaxLateNS, s.MaxAtNS
		}
		joined.PartMediansNS = append(joined.PartMediansNS, s.PartMediansNS...)
		if n := len(s.PartMediansNS); len(s.Runs) > 0 || n == 0 {
			joined.Runs = append(joined.Runs, s.Runs...)
		} else {
			joined.Runs = append(joined.Runs, n)
		}
	}
	if len(joined.Runs) < 2 {
		joined.Runs = nil
	}
	return joined
}
