package observe

import (
	"context"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/machine/thread"
)

// StatedHz returns the ticks/s that a clock reports; 0 if it reports none.
func StatedHz(c clock.Clock) float64 {
	if stated := c.ReportedNS(); c.Hz == 0 && stated > 0 {
		return 1e9 / stated
	}
	return c.Hz
}

// A Rate is the ticks/s of a clock by the stopwatch, from a bracket at the start of a run and one at its end.
type Rate struct {
	Hz    float64 // 0 until known
	first Tightest
}

// shortest is the shortest span in nanoseconds that gives a rate.
const shortest = int64(time.Millisecond)

// Begin takes the rate that the clock reports, or takes the first bracket.
func (r *Rate) Begin(c clock.Clock, reader clock.Reader) {
	if r.Hz = StatedHz(c); r.Hz == 0 {
		r.first = bracketed(reader)
	}
}

// End takes the second bracket if the rate is unknown.
func (r *Rate) End(reader clock.Reader) {
	if r.Hz != 0 {
		return
	}
	last := bracketed(reader)
	if span := last.Middle() - r.first.Middle(); span >= shortest && last.Value > r.first.Value {
		r.Hz = float64(last.Value-r.first.Value) * 1e9 / float64(span)
	}
}

// bracketed returns the clock's value between two readings of the stopwatch, the tightest of many.
func bracketed(reader clock.Reader) Tightest {
	tick := make([]int64, 1)
	return TightestOf(100, Now, func() int64 {
		reader.Read(tick)
		return tick[0]
	})
}

// tellable is the number of ticks of the stopwatch in a span that gives a rate with an error of 1 in 10,000.
const tellable = 10_000

// SpanOfARate returns how long a counter has to be watched to measure its rate: the least
// span, or longer if the stopwatch is coarse or slow.
func SpanOfARate(least time.Duration) time.Duration {
	return max(least, tellable*StopwatchTick())
}

// Hz returns the ticks/s of a clock: the reported rate, or the rate in the span. It returns 0 if the clock cannot be
// opened, or if the span is too short.
func Hz(c clock.Clock, span time.Duration) float64 {
	if hz := StatedHz(c); hz != 0 {
		return hz
	}
	return over(c, span, func() { time.Sleep(span) })
}

// Rates returns the ticks/s of a counter over two spans: in the first the process sleeps, in the second it keeps this
// number of CPUs busy. Both are equal for an invariant counter. Both are 0 if the counter cannot be read, and if the
// stopwatch is too coarse for the span. loadedHz is 0 if the system refuses the threads.
//
// The rates are measured by the stopwatch. If the kernel derives its time from the same counter, they can still differ
// from the kernel's own figure, by the wall clock's correction, but not from each other.
func Rates(c clock.Clock, span time.Duration, cpus int) (idleHz, loadedHz float64) {
	idleHz = over(c, span, func() { time.Sleep(span) })
	if RoomForThreads(context.Background(), cpus) != nil {
		return idleHz, 0
	}
	loadedHz = over(c, span, func() {
		defer thread.Busy(cpus, span+time.Minute)()
		time.Sleep(span) // so that this thread exists when the span ends
	})
	return idleHz, loadedHz
}

// over returns the ticks/s while fn runs, which takes the span, on a thread of its own.
func over(c clock.Clock, span time.Duration, fn func()) float64 {
	var r Rate
	if StopwatchTick() > span/tellable {
		return 0
	}
	// If no thread can be started, the rate stays unknown.
	_ = thread.Run(thread.Any, func() {
		if reader, err := c.Open(); err == nil {
			r.first = bracketed(reader)
			fn()
			r.End(reader)
		}
	})
	return r.Hz
}
