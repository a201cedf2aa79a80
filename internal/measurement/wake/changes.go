package wake

import (
	"strconv"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/words"
)

// compared returns what changed in the lateness of the ways. The verdicts are the same as on clocks.
func compared(old, new *result.Document, s section.Settings) (section.Comparison, bool) {
	return compare.Compare(old, new, Of, subjects, different, s, Wording)
}

func different(old, new *Wake) []section.Difference {
	slack := func(w *Wake) string { return words.Duration(float64(w.Timers.SlackNS)) }
	all := []section.Difference{
		{What: "timer slack", Old: slack(old), New: slack(new)},
		{What: "busy threads of wake", Old: strconv.Itoa(old.BusyThreads), New: strconv.Itoa(new.BusyThreads)},
		{What: "CPUs of wake", Old: words.Numbers(old.CPUs), New: words.Numbers(new.CPUs)},
	}
	section.Match(old.Timers.Facts, new.Timers.Facts, func(f Fact) string { return f.Name }, func(o, n Fact) {
		all = append(all, section.Difference{What: o.Name, Old: o.Value, New: n.Value})
	})
	return append(all, EarlyDifferences(old.Ways, new.Ways)...)
}

// EarlyDifferences returns for each way and span of both whether sleeps end early.
func EarlyDifferences(old, new []SleepWay) (all []section.Difference) {
	early := map[bool]string{false: "no", true: "yes"}
	section.Match(Rows(old), Rows(new), Row.Name, func(o, n Row) {
		all = append(all, section.Difference{What: o.Name() + " ends early", Old: early[o.Early > 0], New: early[n.Early > 0]})
	})
	return all
}

func subjects(d *result.Document) []compare.Subject {
	if w := Of(d); w != nil {
		return Subjects(d, w.Ways, "Wake/way")
	}
	return nil
}

// Samples returns the samples of the ways, for benchstat.
func (*Wake) Samples(d *result.Document) []section.Sample { return compare.SamplesOf(subjects(d)) }

// Join returns the lateness of several runs on one machine. Everything without samples comes from the first run.
func Join(runs []*Wake) *Wake {
	joined := *runs[0]
	var ways [][]SleepWay
	for i, run := range runs {
		if ways = append(ways, run.Ways); i > 0 {
			joined.DurationNS += run.DurationNS
		}
	}
	joined.Ways = JoinWays(joined.Ways, ways...)
	return &joined
}
