package verify

import (
	"math"
	"slices"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
)

// relations are the pairs of calls whose clocks are compared. The offset of a steady pair is constant unless a clock is
// set: in Linux CLOCK_REALTIME, CLOCK_BOOTTIME and CLOCK_TAI are CLOCK_MONOTONIC plus an offset, which settimeofday(2),
// a suspend and adjtimex(2) change. A suspend is no fault: CLOCK_BOOTTIME counts it as CLOCK_REALTIME does.
// CLOCK_MONOTONIC_RAW is not corrected (clock_gettime(2)), so its rate against CLOCK_MONOTONIC is the correction. The
// coarse and the precise system time of Windows drift apart on versions whose precise time ignores the correction of the
// rate.
var relations = []struct {
	clock, against string
	steady         bool
}{
	{"CLOCK_REALTIME", "CLOCK_BOOTTIME", true},
	{"CLOCK_BOOTTIME", "CLOCK_MONOTONIC", false},
	{"CLOCK_TAI", "CLOCK_REALTIME", true},
	{"CLOCK_MONOTONIC_RAW", "CLOCK_MONOTONIC", false},
	{"GetSystemTimePreciseAsFileTime", "QueryPerformanceCounter", false},
	{"GetSystemTimeAsFileTime", "GetSystemTimePreciseAsFileTime", false},
	{"QueryInterruptTimePrecise", "QueryPerformanceCounter", false},
}

// paths are the paths by which the calls of a relation are read, the fastest first.
var paths = []clock.Path{clock.VDSO, clock.Syscall, clock.WinAPI}

// A related is a relation at the beginning of the run.
type related struct {
	clock, against clock.Clock
	inner, outer   clock.Reader // of these clocks
	steady         bool
	// first is the bracket at the beginning: the clock's value between two readings of the other clock.
	first observe.Tightest
}

type relatives []related

// begin takes the first brackets of the relations whose first clock is among clocks. Call it on a thread of its own.
func begin(clocks, all []clock.Clock) relatives {
	var some relatives
	for _, r := range relations {
		asked := slices.ContainsFunc(clocks, func(c clock.Clock) bool {
			return slices.ContainsFunc(paths, func(p clock.Path) bool { return c.ID == r.clock+"@"+string(p) })
		})
		if !asked {
			continue
		}
		pair := related{steady: r.steady}
		pair.clock, pair.inner = firstOf(all, r.clock)
		pair.against, pair.outer = firstOf(all, r.against)
		if pair.inner == nil || pair.outer == nil {
			continue
		}
		if pair.first = pair.bracketed(); pair.first.Brackets > 0 {
			some = append(some, pair)
		}
	}
	return some
}

// firstOf returns the clock of a call by the first path that can be read, with a Reader; nil without one.
func firstOf(all []clock.Clock, call string) (clock.Clock, clock.Reader) {
	for _, path := range paths {
		if c := named(all, call+"@"+string(path)); c != nil && c.Hz > 0 {
			if reader, err := clock.Ready(*c); err == nil {
				return *c, reader
			}
		}
	}
	return clock.Clock{}, nil
}

func (r *related) bracketed() observe.Tightest {
	const brackets = 300
	value := make([]int64, 1)
	outer := func() int64 { return clock.ReadBehind(r.outer, value) }
	inner := func() int64 { return clock.ReadBehind(r.inner, value) }
	if r.clock.Coarse {
		return tightestTick(outer, inner)
	}
	return observe.TightestOf(brackets, outer, inner)
}

// tightestTick returns the tightest bracket of a tick of a coarse clock. The bracket is its new value, between a
// reading of the other clock before the last old value and a reading after the new value.
func tightestTick(outer, coarse func() int64) (t observe.Tightest) {
	// A tick of Windows is 15.6 ms.
	const some, most = 50 * time.Millisecond, time.Second
	start := observe.Now()
	low, last := outer(), coarse()
	for passed := time.Duration(0); passed < some || t.Brackets == 0 && passed < most; passed = time.Duration(observe.Now() - start) {
		middle, value := outer(), coarse()
		if value != last {
			t.Take(observe.Bracket{Low: low, Value: value, High: outer()})
		}
		low, last = middle, value
	}
	return t
}

// end takes the last brackets. Call it on a thread of its own.
func (some relatives) end() []Relation {
	var ended []Relation
	for _, r := range some {
		last := r.bracketed()
		if last.Brackets == 0 {
			continue
		}
		ns, againstNS := 1e9/r.clock.Hz, 1e9/r.against.Hz
		middle := func(t observe.Tightest) float64 { return float64(t.Low-r.first.Low)/2 + float64(t.High-r.first.Low)/2 }
		went := (middle(last) - middle(r.first)) * againstNS
		change := float64(last.Value-r.first.Value)*ns - went
		// Each value is rounded down to a tick.
		bound := float64(last.Width()+r.first.Width())/2*againstNS + ns + againstNS
		if went <= 0 {
			continue
		}
		ended = append(ended, Relation{
			Clock: r.clock.ID, Against: r.against.ID, ChangeNS: change, BoundNS: bound, PPM: change / went * 1e6,
			Steady: r.steady, Held: !r.steady || math.Abs(change) <= bound,
		})
	}
	return ended
}
