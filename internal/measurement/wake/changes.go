package wake

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/words"
)

// compared returns what changed in the lateness of the ways. The verdicts are the same as on clocks.
func compared(old, new *result.Document, s section.Settings) (section.Comparison, bool) {
	return compare.Compare(old, new, Of, subjects, different, s,
		compare.Wording{Title: title, Subject: "Way", Unit: "ns late"})
}

func different(old, new *Wake) []section.Difference {
	slack := func(w *Wake) string { return words.Duration(float64(w.Timers.SlackNS)) }
	return []section.Difference{
		{What: "timer slack", Old: slack(old), New: slack(new)},
		{What: "timer device", Old: old.Timers.Device, New: new.Timers.Device},
		{What: "idle driver and governor", Old: old.Timers.idle(), New: new.Timers.idle()},
		{What: "busy threads of wake", Old: strconv.Itoa(old.BusyThreads), New: strconv.Itoa(new.BusyThreads)},
		{What: "CPUs of wake", Old: words.Numbers(old.CPUs), New: words.Numbers(new.CPUs)},
	}
}

// subjects returns a subject for each way and span. A way with early sleeps has no cost to compare.
func subjects(d *result.Document) (all []compare.Subject) {
	w := Of(d)
	if w == nil {
		return nil
	}
	for _, r := range w.all() {
		if r.SleepSpan == nil {
			continue
		}
		of := compare.Subject{Name: r.name(), Benchmark: "Wake/way", ContendedFrom: math.MaxInt}
		if len(r.PartMediansNS) > 0 && slices.Min(r.PartMediansNS) > 0 {
			of.Latency = compare.LatencyOf(r.PartMediansNS, nil)
			of.Latency.Runs = r.Runs
		} else {
			of.Reason = "it ends early"
		}
		all = append(all, of)
	}
	return all
}

// Samples returns the lateness of the parts of the measurement, for benchstat.
func (*Wake) Samples(d *result.Document) []section.Sample { return compare.SamplesOf(subjects(d)) }

// Join returns the lateness of several runs on one machine. Each way and span has the figures of the run with the median
// lateness, and the parts of all runs. Everything else comes from the first run.
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
	joined.Samples, joined.Early = 0, 0
	var parts []*compare.Latency
	for _, s := range runs {
		joined.Samples, joined.Early = joined.Samples+s.Samples, joined.Early+s.Early
		joined.MinLateNS = min(joined.MinLateNS, s.MinLateNS)
		if s.MaxLateNS > joined.MaxLateNS {
			joined.MaxLateNS, joined.MaxAtNS = s.MaxLateNS, s.MaxAtNS
		}
		parts = append(parts, &compare.Latency{SamplesNS: s.PartMediansNS, Runs: s.Runs})
	}
	all := compare.JoinLatency(parts)
	joined.PartMediansNS, joined.Runs = all.SamplesNS, all.Runs
	return joined
}
