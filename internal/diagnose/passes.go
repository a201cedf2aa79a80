package diagnose

import (
	"fmt"
	"slices"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/words"
)

// maxStarved is the share of the passes with a number of threads in which a thread may have had no
// CPU for most of the time: a figure is the median of its passes.
const maxStarved = 0.5

// starved names the smallest number of threads of which one usually had no CPU.
func starved(_ *result.Document, c result.Conditions) string {
	for _, p := range c.Passes {
		if float64(p.Starved) > maxStarved*float64(p.Complete) {
			return fmt.Sprintf("in %d of %s of throughput with %s, a thread had no CPU for most of the time, although there is a CPU for each",
				p.Starved, words.Plural(p.Complete, "sample"), words.Plural(p.Threads, "thread"))
		}
	}
	return ""
}

func incomplete(_ *result.Document, c result.Conditions) string {
	var short, reasons []string
	var threads []int
	planned, complete := 0, 0
	for _, p := range c.Passes {
		if p.Complete < p.Planned {
			planned, complete = planned+p.Planned, complete+p.Complete
			threads, reasons = append(threads, p.Threads), append(reasons, p.Reasons...)
		}
	}
	if c.CompleteRounds > 0 {
		short = append(short, "only "+words.Plural(c.CompleteRounds, "round")+" of latency")
	}
	if planned > 0 {
		with := words.Plural(slices.Max(threads), "thread")
		if len(threads) > 1 {
			with = fmt.Sprintf("%d to %s", slices.Min(threads), with)
		}
		short = append(short, fmt.Sprintf("%d of %s of throughput with %s", complete, words.Plural(planned, "sample"), with))
	}
	if len(short) == 0 {
		return ""
	}
	text := "the run has " + words.List(short)
	slices.Sort(reasons)
	if reasons = slices.Compact(reasons); len(reasons) > 0 {
		text += ": " + reasons[0]
	}
	if more := len(reasons) - 1; more > 0 {
		text += ", and " + words.Plural(more, "other reason")
	}
	return text
}
