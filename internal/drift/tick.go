package drift

import (
	"time"

	"github.com/timebench/timebench/internal/observe"
)

const (
	// watched is how long a clock that repeats its values is watched for its tick:
	// those of 100 Hz and of Windows (15.6 ms) tick at least twice in it.
	watched = 40 * time.Millisecond
	// enoughTicks is how many ticks show the smallest.
	enoughTicks = 3
	// values is how many one look takes: those of a clock that is finer than its
	// readers differ.
	values = 64
)

// watch finds out the step in which a subject's values change: 1 tick of its Hz where
// it is finer than a read. What clock_getres(2) states is heeded only where no step was
// seen: a kernel without high resolution timers states 4 ms for its finest clock too.
func (r *runner) watch(s *subject) {
	begun := r.now()
	// The span in whole nanoseconds, and not the reference's time: those since 1601 are
	// more than an int64 holds.
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
