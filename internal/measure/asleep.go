package measure

import (
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/observe"
	"github.com/timebench/timebench/internal/thread"
)

// Rates returns the ticks a second of a counter over two spans: one in which the
// process sleeps, and one in which it keeps so many CPUs busy. An invariant counter
// makes as many in both. Both are 0 where the counter cannot be read, and where the
// stopwatch is too coarse to tell a rate in such a span.
//
// They are measured by the stopwatch. Where the kernel makes its time of the very same
// counter they can still differ from the kernel's own figure, as the wall clock's
// correction does, but not from each other.
func Rates(c clock.Clock, span time.Duration, cpus int) (asleepHz, loadedHz float64) {
	if observe.StopwatchTick() > span/tellable {
		return 0, 0
	}
	asleepHz = over(c, func() { time.Sleep(span) })
	loadedHz = over(c, func() {
		defer thread.Busy(cpus, span+time.Minute)()
		// This thread sleeps, so that it is there when the span ends.
		time.Sleep(span)
	})
	return asleepHz, loadedHz
}

// tellable is how many ticks of the stopwatch make a span in which a rate can be told
// to a part in ten thousand.
const tellable = 10_000

// over returns the ticks a second while fn runs.
func over(c clock.Clock, fn func()) float64 {
	var r rate
	// On a thread that cannot be had the rate stays unknown.
	_ = thread.Run(thread.Any, func() {
		reader, err := c.Open()
		if err != nil {
			return
		}
		r.first = sight(reader)
		fn()
		r.end(reader)
	})
	return r.hz
}
