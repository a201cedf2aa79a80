package verify

import (
	"math"
	"slices"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
)

// relations are the pairs of calls whose clocks keep their distance, unless a clock is set: in Linux CLOCK_REALTIME,
// CLOCK_BOOTTIME and CLOCK_TAI are CLOCK_MONOTONIC plus an offset, which settimeofday(2), a suspend and adjtimex(2)
// change. A suspend is no fault: CLOCK_BOOTTIME counts it as CLOCK_REALTIME does.
var relations = []struct{ clock, against string }{
	{"CLOCK_REALTIME", "CLOCK_BOOTTIME"},
	{"CLOCK_TAI", "CLOCK_REALTIME"},
}

// paths are the paths by which the calls of a relation are read, the fastest first.
var paths = []clock.Path{clock.VDSO, clock.Syscall}

// A related is a relation at the beginning of the run.
type related struct {
	clock, against clock.Clock
	inner, outer   clock.Reader // of these clocks
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
		var pair related
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
	return observe.TightestOf(brackets, outer, inner)
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
		ended = append(ended, Relation{
			Clock: r.clock.ID, Against: r.against.ID, ChangeNS: change, BoundNS: bound,
			Held: math.Abs(change) <= bound,
		})
	}
	return ended
}
