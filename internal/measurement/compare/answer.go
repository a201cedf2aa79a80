package compare

import (
	"fmt"
	"slices"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/words"
)

// Answer returns what a read of the clocks of a document takes, or why none was read, in one sentence. Whether
// that is slow, it does not say: package diagnose answers that for the clocks that programs read most.
func Answer(d *result.Document) string {
	clocks := Of(d).Clocks
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
