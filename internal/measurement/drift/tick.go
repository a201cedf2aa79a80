package drift

import (
	"time"

	"github.com/timebench/timebench/internal/instrument/observe"
)

const (
	// watched is how long a clock that repeats its values is watched: clocks with a tick of
	// 100 Hz, or of Windows (15.6 ms), tick at least twice in that time.
	watched = 40 * time.Millisecond
	// enoughTicks is the number of ticks that show the smallest one.
	enoughTicks = 3
	// values is the number of reads in one batch: if the clock is finer than a read, all values differ.
	values = 64
)

// watch sets the tick of a subject's values: 1 if the clock is finer than a read. It uses clock_getres(2) only if it
// saw no step: a kernel without high resolution timers reports 4 ms for its finest clock too.
func (r *runner) watch(s *subject) {
	begun := r.now()
	// The difference is in whole nanoseconds, not the reference's time: nanoseconds since 1601 exceed an int64.
	passed := func() int64 { return int64(r.now() - begun) }
	var steps observe.Steps
	spent := steps.Watch(s.reader, observe.Watch{Values: values, Enough: enoughTicks, Most: watched}, passed)
	switch {
	case steps.Repeats == 0:
		s.tick = 1
	case steps.Forward > 0:
		s.tick = float64(steps.Smallest)
	default:
		s.tick = max(1, max(s.clock.ReportedNS(), float64(spent))*s.hz/1e9)
	}
}
