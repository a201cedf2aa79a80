package observe

import (
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/thread"
)

// StatedHz returns the ticks a second that a clock states; 0 where it states none.
func StatedHz(c clock.Clock) float64 {
	if stated := c.ReportedNS(); c.Hz == 0 && stated > 0 {
		return 1e9 / stated
	}
	return c.Hz
}

// A Rate is how many ticks a second a clock makes by the stopwatch, from one look at the
// start of a run and one at its end.
type Rate struct {
	Hz    float64 // 0 until known
	first Tightest
}

// shortest is the least span in nanoseconds from which a rate can be told.
const shortest = int64(time.Millisecond)

// Begin takes what the clock states, or looks at it for the first time.
func (r *Rate) Begin(c clock.Clock, reader clock.Reader) {
	if r.Hz = StatedHz(c); r.Hz == 0 {
		r.first = look(reader)
	}
}

// End looks at the clock once more where its rate is not known.
func (r *Rate) End(reader clock.Reader) {
	if r.Hz != 0 {
		return
	}
	last := look(reader)
	if span := last.Middle() - r.first.Middle(); span >= shortest && last.Value > r.first.Value {
		r.Hz = float64(last.Value-r.first.Value) * 1e9 / float64(span)
	}
}

// look returns the clock's value between two readings of the stopwatch, the tightest of
// many.
func look(reader clock.Reader) Tightest {
	tick := make([]int64, 1)
	return TightestOf(100, Now, func() int64 {
		reader.Read(tick)
		return tick[0]
	})
}

// tellable is how many ticks of the stopwatch make a span in which a rate can be told
// to a part in ten thousand.
const tellable = 10_000

// SpanOfARate returns how long a counter has to be watched for its rate to be told: the
// least span, or longer where the stopwatch is coarse or slow.
func SpanOfARate(least time.Duration) time.Duration {
	return max(least, tellable*StopwatchTick())
}

// Hz returns the ticks a second of a clock: what it states, or what it makes
// in the span, measured on a thread of its own; 0 where it cannot be had, or not told
// in such a span.
func Hz(c clock.Clock, span time.Duration) float64 {
	var r Rate
	// On a thread that cannot be had the rate stays unknown.
	_ = thread.Run(thread.Any, func() {
		reader, err := c.Open()
		if err != nil {
			return
		}
		r.Begin(c, reader)
		if r.Hz == 0 && StopwatchTick() <= span/tellable {
			time.Sleep(span)
			r.End(reader)
		}
	})
	return r.Hz
}

// Rates returns the ticks a second of a counter over two spans: one in which the
// process sleeps, and one in which it keeps so many CPUs busy. An invariant counter
// makes as many in both. Both are 0 where the counter cannot be read, and where the
// stopwatch is too coarse to tell a rate in such a span.
//
// They are measured by the stopwatch. Where the kernel makes its time of the very same
// counter they can still differ from the kernel's own figure, as the wall clock's
// correction does, but not from each other.
func Rates(c clock.Clock, span time.Duration, cpus int) (asleepHz, loadedHz float64) {
	if StopwatchTick() > span/tellable {
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

// over returns the ticks a second while fn runs.
func over(c clock.Clock, fn func()) float64 {
	var r Rate
	// On a thread that cannot be had the rate stays unknown.
	_ = thread.Run(thread.Any, func() {
		reader, err := c.Open()
		if err != nil {
			return
		}
		r.first = look(reader)
		fn()
		r.End(reader)
	})
	return r.Hz
}
