package verify

import (
	"slices"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/measure"
)

// witnesses are the ids of the clocks that may witness, the best first: against a
// counter, and against a clock of the system. Counters that wait for earlier
// instructions, and system clocks that nobody slews.
var (
	againstCounters = []string{"CLOCK_MONOTONIC_RAW@vdso", "CLOCK_MONOTONIC_RAW@syscall", "QueryPerformanceCounter@winapi", "time.Now@go"}
	againstSystem   = []string{"LFENCE+RDTSC@cpu", "RDTSCP@cpu", "RDTSC@cpu", "ISB+CNTVCT_EL0@cpu"}
	// The last resort is made of what the others are made of, but is read by another
	// path.
	lastResort = []string{"CLOCK_MONOTONIC_RAW@syscall", "QueryPerformanceCounter@winapi", "time.Now@go"}
)

// A witness is a clock that others are held against.
type witness struct {
	clock     clock.Clock
	nsPerTick float64
}

// witnesses are the clocks that may witness here, each tried once.
type witnesses struct {
	all              []clock.Clock
	counterIsTrusted bool
	tried            map[string]*witness
}

func newWitnesses(s Settings) *witnesses {
	return &witnesses{s.All, s.CounterIsTrusted, map[string]*witness{}}
}

// of is the clock by which c is judged; nil where there is none, and for CPU time,
// which passes as the scheduler has it.
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
		if id == c.ID || id == c.Twin {
			continue
		}
		if found := w.try(id); found != nil {
			return found
		}
	}
	return nil
}

// try is the clock of that id, if it can be had and its rate be told.
func (w *witnesses) try(id string) *witness {
	found, known := w.tried[id]
	if known {
		return found
	}
	w.tried[id] = nil
	if c := named(w.all, id); c != nil && clock.Readable(*c) == nil {
		if hz := measure.Hz(*c, rateSpan); hz > 0 {
			w.tried[id] = &witness{*c, 1e9 / hz}
		}
	}
	return w.tried[id]
}
