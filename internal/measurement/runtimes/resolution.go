package runtimes

import (
	"slices"
	"time"

	"github.com/timebench/timebench/internal/measurement/compare"
)

// fewestTicks is the number of steps of one tick that show a resolution. A step that another program delayed has
// several.
const fewestTicks = 3

// resolution returns the resolution of values of which these steps were seen. It is the mean of the steps that have one
// tick: those that are up to half longer than the shortest. A value with a rounding of its own steps unevenly:
// microseconds as a float64 of seconds step by 954 or 1192 ns. TickNS is 0 if too few steps have one tick: the
// resolution is unknown.
//
// The benchmark watches for this long, or until it has seen most steps: then WatchedNS is their sum.
func resolution(seen reads, steps []float64, longest time.Duration, most int) *compare.Resolution {
	r := &compare.Resolution{Ticks: int64(len(steps))}
	var forward []float64
	watched := 0.0
	for _, step := range steps {
		if step > 0 {
			forward = append(forward, step)
			watched += step
			continue
		}
		r.Backwards++
		r.WorstBackwardsNS = max(r.WorstBackwardsNS, -step)
	}
	r.WatchedNS = int64(longest)
	if len(steps) >= most {
		r.WatchedNS = int64(min(watched, float64(longest)))
	}
	if len(forward) == 0 {
		return r
	}
	shortest := slices.Min(forward)
	sum, n := 0.0, 0
	for _, step := range forward {
		if step <= 1.5*shortest {
			sum += step
			n++
		}
	}
	if r.FinerThanRead = seen.repeats == 0; r.FinerThanRead || n >= fewestTicks {
		r.TickNS = sum / float64(n)
	}
	return r
}

// proven returns a resolution without what a call of this cost cannot prove. Values that never repeat show
// that the clock is finer than a call only if they were read as fast as the call allows.
func proven(r *compare.Resolution, callNS float64) *compare.Resolution {
	const slower = 3
	if r == nil || !r.FinerThanRead {
		return r
	}
	sure := *r
	sure.FinerThanRead = r.TickNS <= slower*callNS
	sure.TickNS = 0
	return &sure
}
