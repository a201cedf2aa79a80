package runtimes

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/instrument/stats"
)

// The names of the empty loop turn and of the empty call in a benchmark.
const (
	emptyLoop = "loop"
	emptyCall = "call"
)

const (
	// usualSlice is the span between two readings of the stopwatch: long enough that a reading does not count in most
	// languages, and short enough that other programs interrupt few slices.
	usualSlice = 200 * time.Microsecond
	// minSlices is the minimum number of slices of a call in each start: a level needs them.
	minSlices = 10
	// batch is the number of slices of a command: few commands, which wake the benchmark up, and calls that take turns.
	batch = 10
	// A compiler compiles a method as a whole after many calls, so the warm-up makes short runs: turns of warmRuns runs
	// of warmCalls calls. Each call has at least minTurns turns, 20,000 calls, even if WarmUp passes while the program
	// waits for a CPU.
	minTurns, warmRuns, warmCalls = 20, 16, 64
	// minCalibrations is the number of slices whose fastest one shows how long the calls take.
	minCalibrations = 3
	// maxCalls is the maximum number of calls in a slice: some languages count in 32 bits.
	maxCalls = 1 << 30
)

// slices returns the number of slices of a call in each start.
func (s Settings) slices(of Runtime) int {
	return max(minSlices, int(s.Time/time.Duration(s.Starts)/of.slice()))
}

func (r Runtime) slice() time.Duration {
	return observe.SliceOf(cmp.Or(r.Slice, usualSlice))
}

// level returns the cost of a call in one start, in ns/call: the lowest level of its slices, which must not be empty.
// Slices in which the call waited for a CPU are above it. A coarse stopwatch would make the slices with the fewest
// ticks the lowest, so the median is taken.
func level(slicesNS []float64, slice time.Duration) float64 {
	if !observe.Exact(slice) {
		return stats.Median(slicesNS)
	}
	return stats.Level(slicesNS)
}

// warmUp does something with each call, in turns, until the runtime has compiled it: for WarmUp, and at least minTurns.
func (r Runtime) warmUp(names []string, do func(name string) error) error {
	began := time.Now()
	for turns := 0; turns < minTurns || time.Since(began) < r.WarmUp; turns++ {
		for _, name := range names {
			if err := do(name); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r Runtime) warm(d *dialogue, names []string) error {
	return r.warmUp(names, func(name string) error {
		_, err := d.run(name, warmCalls, warmRuns)
		return err
	})
}

// known returns the names of the calls that the runtime has.
func (d *dialogue) known(names []string) (some []string, err error) {
	for _, name := range names {
		if _, err := d.run(name, 1, 1); err == nil {
			some = append(some, name)
		} else if !errors.Is(err, errMissing) {
			return nil, err
		}
	}
	if len(some) == 0 && len(names) > 0 {
		return nil, errors.New(d.missing[names[0]])
	}
	return some, nil
}

// calibrated returns the number of calls that take as long as a slice.
func (d *dialogue) calibrated(name string, slice time.Duration) (int, error) {
	for n := 1; n <= maxCalls/2; n *= 2 {
		elapsedNS, err := d.run(name, n, minCalibrations)
		if err != nil {
			return 0, err
		}
		if fastest := slices.Min(elapsedNS); fastest >= float64(slice)/2 {
			return max(1, int(float64(n)*float64(slice)/fastest)), nil
		}
	}
	return maxCalls, nil
}

// costs measures calls in one start, when all are warm: it returns the ns/call of their slices, which take turns. Each
// round starts at another name.
func (r Runtime) costs(d *dialogue, names []string, count int) (map[string][]float64, error) {
	known, err := d.known(names)
	if err != nil || len(known) == 0 {
		return nil, err
	}
	if err := r.warm(d, known); err != nil {
		return nil, err
	}
	calls, all := map[string]int{}, map[string][]float64{}
	for _, name := range known {
		n, err := d.calibrated(name, r.slice())
		if err != nil {
			return nil, err
		}
		calls[name] = n
	}
	for round := 0; round*batch < count; round++ {
		first := round % len(known)
		for _, name := range append(slices.Clone(known[first:]), known[:first]...) {
			elapsedNS, err := d.run(name, calls[name], min(batch, count-round*batch))
			if err != nil {
				return nil, err
			}
			for _, ns := range elapsedNS {
				each := ns / float64(calls[name])
				if !(each >= minCallNS && each <= maxCallNS) {
					return nil, fmt.Errorf("the benchmark answered an impossible time: %g ns for a call of %s", each,
						name)
				}
				all[name] = append(all[name], each)
			}
		}
	}
	return all, nil
}

// cost measures all calls of a runtime in one start. A runtime that fails in a start is not started again.
func (r *runner) cost(s *subject) {
	var all map[string][]float64
	err := r.converse(s, limits(r.settings.onceTime(s.Runtime)), func(d *dialogue) (err error) {
		all, err = s.costs(d, s.callNames(emptyLoop, emptyCall), r.settings.slices(s.Runtime))
		s.lack(d.missing)
		return err
	})
	if r.started(s, err) {
		for name, slicesNS := range all {
			s.levels[name] = append(s.levels[name], level(slicesNS, s.slice()))
			s.minima[name] = append(s.minima[name], slices.Min(slicesNS))
		}
	}
}

// started counts a start of a runtime that ended with err, and reports whether it was complete.
func (r *runner) started(s *subject, err error) bool {
	r.advance(r.settings.onceTime(s.Runtime))
	if err != nil {
		if r.ctx.Err() == nil {
			err = r.refused(s, err)
			if s.entry.Forks > 0 {
				err = fmt.Errorf("start %d of %d: %w", s.entry.Forks+1, r.settings.Starts, err)
			}
			s.entry.Reason, s.command = err.Error(), nil
		}
		return false
	}
	s.entry.Forks++
	return true
}

// lack keeps the reasons why the runtime lacks calls.
func (s *subject) lack(missing map[string]string) {
	for i := range s.entry.Calls {
		if reason, ok := missing[s.Calls[i].Name]; ok {
			s.entry.Calls[i].Reason = reason
		}
	}
}
