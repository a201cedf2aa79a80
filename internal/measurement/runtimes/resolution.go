package runtimes

import (
	"errors"
	"slices"
	"time"

	"github.com/timebench/timebench/internal/measurement/compare"
)

const (
	// maxSteps and stepsTime bound how long the values of a call are watched.
	maxSteps  = 200
	stepsTime = 50 * time.Millisecond
	// secondsTime is the time to watch values that did not step in stepsTime: time() ticks once a second. longerTime is
	// for values that stepped too rarely, as beside other programs.
	secondsTime, longerTime = 5 * time.Second, time.Second
	// minTicks is the min number of steps of a single tick that show a resolution. A step that another program delayed
	// has several ticks.
	minTicks = 3
	// minCommands is the min number of commands to watch a call whose values do not step.
	minCommands = 50
	// maxBlocks is the maximum number of blocks in a command: some languages count in 32 bits.
	maxBlocks = 1 << 20
)

// steps watches the values of all calls. It watches values longer that did not step, or too rarely.
func (r *runner) steps(s *subject) {
	usual := r.settings.stepsTime(s.Runtime)
	defer r.advance(usual)
	most := limits(usual)
	most.Time += time.Duration(len(s.Calls)) * (stepsTime + secondsTime + longerTime)
	err := r.converse(s, most, func(d *dialogue) error {
		steps := func(name string) error {
			_, _, err := d.steps(name, 1, 0)
			return err
		}
		names := slices.DeleteFunc(s.callNames(), func(name string) bool { return errors.Is(steps(name), errMissing) })
		if err := s.warmUp(names, steps); err != nil {
			return err
		}
		if err := s.watch(d, names, maxSteps, stepsTime); err != nil {
			return err
		}
		never := s.unclear(func(ticks int64) bool { return ticks == 0 })
		if err := s.watch(d, never, minTicks, secondsTime); err != nil {
			return err
		}
		rarely := s.unclear(func(ticks int64) bool { return ticks > 0 })
		return s.watch(d, rarely, maxSteps, longerTime)
	})
	if err != nil {
		s.note(r.ctx, "its values could not be watched", err)
	}
}

// unclear returns the calls of unknown resolution whose number of steps satisfies after.
func (s *subject) unclear(after func(ticks int64) bool) (calls []string) {
	for _, m := range s.entry.Calls {
		if r := m.Resolution; r != nil && m.coarse() == 2 && after(r.Ticks) {
			calls = append(calls, m.Call)
		}
	}
	return calls
}

// watch watches the values of calls, each until it has seen a number of steps, or for a time.
func (s *subject) watch(d *dialogue, names []string, limit int, longest time.Duration) error {
	for i := range s.entry.Calls {
		m := &s.entry.Calls[i]
		if !slices.Contains(names, m.Call) {
			continue
		}
		var stepsNS []float64
		repeats, began := 0.0, time.Now()
		for blocks := 1; len(stepsNS) < limit && time.Since(began) < longest; {
			asked := time.Now()
			more, equal, err := d.steps(m.Call, blocks, limit-len(stepsNS))
			if err != nil {
				return err
			}
			stepsNS, repeats = append(stepsNS, more...), repeats+equal
			if time.Since(asked) < longest/minCommands {
				blocks = min(2*blocks, maxBlocks)
			}
		}
		of := resolution(repeats > 0, stepsNS, time.Since(began))
		if before := m.Resolution; before != nil { // it shows no tick
			of.Ticks += before.Ticks
			of.WatchedNS += before.WatchedNS
			of.Backwards += before.Backwards
			of.WorstBackwardsNS = max(of.WorstBackwardsNS, before.WorstBackwardsNS)
		}
		m.Resolution = of
	}
	return nil
}

// resolution returns the resolution of values that made these steps while they were watched. It is the mean of the
// steps of a single tick: up to half longer than the shortest step. A value with a rounding of its own steps unevenly:
// microseconds as a float64 of seconds step by 954 or 1192 ns. TickNS is 0 if too few steps have a single tick: the
// resolution is unknown.
func resolution(repeats bool, stepsNS []float64, watched time.Duration) *compare.Resolution {
	r := &compare.Resolution{Ticks: int64(len(stepsNS)), WatchedNS: int64(watched)}
	var forward []float64
	for _, step := range stepsNS {
		if step > 0 {
			forward = append(forward, step)
			continue
		}
		r.Backwards++
		r.WorstBackwardsNS = max(r.WorstBackwardsNS, -step)
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
	if r.FinerThanRead = !repeats; r.FinerThanRead || n >= minTicks {
		r.TickNS = sum / float64(n)
	}
	return r
}

// proven returns a resolution without the parts that a call of this cost cannot prove. Values that never repeat show
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
