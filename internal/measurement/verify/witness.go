package verify

import (
	"slices"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
)

// These are the ids of possible witnesses, the best first, of a counter and of a system clock. The counters wait for
// earlier instructions, and the system clocks are not slewed.
var (
	againstCounters = []string{"CLOCK_MONOTONIC_RAW@vdso", "CLOCK_MONOTONIC_RAW@syscall",
		"QueryPerformanceCounter@winapi", "time.Now@go"}
	againstSystem = append(slices.Clone(clock.OrderedCounters), "RDTSC@cpu")
	// The last resort uses the same time base as the others, but is read by another path.
	lastResort = []string{"CLOCK_MONOTONIC_RAW@syscall", "QueryPerformanceCounter@winapi", "time.Now@go"}
)

// A witness is the clock that another clock is compared with.
type witness struct {
	clock     clock.Clock
	nsPerTick float64
	tickNS    float64 // the tick; 0 if the values do not repeat
}

// An interval is the values of the witness before and after a batch of reads.
type interval struct{ before, after int64 }

// most returns the max time in nanoseconds from the beginning of batch from to the end of batch to.
func (w *witness) most(from, to interval) float64 {
	return float64(to.after-from.before)*w.nsPerTick + w.tickNS
}

// least returns the min time in nanoseconds from the end of batch from to the beginning of the later batch to.
func (w *witness) least(from, to interval) float64 {
	return max(0, float64(to.before-from.after)*w.nsPerTick-w.tickNS)
}

// witnesses are the available witnesses; each clock is tried once.
type witnesses struct {
	all              []clock.Clock
	counterIsTrusted bool
	tried            map[string]*witness
}

// of returns the witness for c. It is nil if no clock serves, and for CPU time, which depends on the scheduler.
func (w *witnesses) of(c clock.Clock) *witness {
	candidates := lastResort
	switch {
	case c.Kind == clock.CPUTime:
		return nil
	case c.Kind == clock.Counter:
		candidates = againstCounters
	case w.counterIsTrusted:
		candidates = slices.Concat(againstSystem, lastResort)
	}
	for _, id := range candidates {
		if id == c.ID || id == c.OtherPath {
			continue
		}
		if found := w.try(id); found != nil {
			return found
		}
	}
	return nil
}

// try returns the clock with that id, or nil if it cannot be read or its rate is unknown.
func (w *witnesses) try(id string) *witness {
	found, known := w.tried[id]
	if known {
		return found
	}
	w.tried[id] = nil
	c := named(w.all, id)
	if c == nil || c.Coarse {
		return nil
	}
	hz := observe.Hz(*c, rateSpan)
	if hz == 0 {
		return nil
	}
	if reader, err := clock.Ready(*c); err == nil {
		if step, moved := observe.Step(reader, 1e9/hz, rateSpan, observe.Now); moved {
			w.tried[id] = &witness{*c, 1e9 / hz, step}
		}
	}
	return w.tried[id]
}
