package observe

import (
	"slices"
	"time"

	"github.com/timebench/timebench/internal/clock"
)

// Steps are the steps by which a clock's values move from one read to the next, in ticks of
// the clock. The zero value has seen nothing. One that keeps no steps may be copied: the copy
// is what was seen by then.
type Steps struct {
	// Keep is how many steps Kept has at most, and Late.
	Keep int

	Pairs     int64 // of consecutive values
	Repeats   int64 // pairs of equal values
	Forward   int64 // steps forward
	Smallest  int64 // the smallest step forward; 0 before the first
	Backwards int64 // steps back
	Farthest  int64 // the largest step back
	// Kept are the first steps forward, and Late those that were seen by a thread that had
	// lost its CPU meanwhile: several ticks may be in one.
	Kept, Late []float64

	Begun bool  // a value was seen
	Last  int64 // the last one

	timely int64 // steps forward that were not late
}

// See takes the next consecutive values. away says that reading them took so long that the
// thread must have lost its CPU meanwhile.
func (s *Steps) See(values []int64, away bool) {
	kept, forward := &s.Kept, int64(0)
	if away {
		kept = &s.Late
	}
	if !s.Begun && len(values) > 0 {
		s.Begun, s.Last, values = true, values[0], values[1:]
	}
	for _, value := range values {
		switch step := value - s.Last; {
		case step == 0:
			s.Repeats++
		case step < 0:
			s.Backwards++
			s.Farthest = max(s.Farthest, -step)
		default:
			forward++
			if s.Smallest == 0 || step < s.Smallest {
				s.Smallest = step
			}
			if len(*kept) < s.Keep {
				*kept = append(*kept, float64(step))
			}
		}
		s.Last = value
	}
	s.Pairs += int64(len(values))
	s.Forward += forward
	if !away {
		s.timely += forward
	}
}

// Finer reports whether the clock ticks more often than it can be read. Fewer repeats than
// one in a thousand are accidents: the vDSO clamps a counter that is behind on another CPU.
func (s *Steps) Finer() bool {
	const rarely = 1000
	return s.Forward > 0 && s.Repeats*rarely < s.Pairs
}

// A Watch is how a clock is watched, and for how long.
type Watch struct {
	// Values is how many values are read at a look, with nothing between them.
	Values int
	// Enough is how many steps forward end the watch, late ones aside.
	Enough int64
	// Least is how long the clock is watched in any case, and Most how long where it does
	// not make enough steps.
	Least, Most time.Duration
	// Away is how long a look may take; the steps of a longer one are late. 0 is for no
	// bound.
	Away time.Duration
}

// Watch watches a clock, and returns for how many nanoseconds. now returns the nanoseconds
// since some start; where they stand still, the watch ends after some millions of reads.
func (s *Steps) Watch(reader clock.Reader, w Watch, now func() int64) (watchedNS int64) {
	const mostStill = 1 << 22
	values := make([]int64, w.Values)
	begun := now()
	for still := 0; still < mostStill; still += w.Values {
		reader.Read(values)
		passed := now() - begun
		s.See(values, w.Away > 0 && passed-watchedNS > int64(w.Away))
		if passed != watchedNS {
			watchedNS, still = passed, 0
		}
		if passed >= int64(w.Most) || passed >= int64(w.Least) && s.timely >= w.Enough {
			break
		}
	}
	return watchedNS
}

// Step watches a clock and returns how far apart in nanoseconds its values lie: the median
// of a few steps from one value to the next; 0 where nearly every value differs from the
// one before, so that it is finer than a read. moved is false where it did not step
// at all while it was watched, for no longer than patience. The median, since one step
// that is long says that the clock stood or the thread was away, and not how it ticks.
func Step(reader clock.Reader, nsPerTick float64, patience time.Duration) (stepNS float64, moved bool) {
	const few = 9
	s := Steps{Keep: few}
	// The stopwatch is read between any two values: a clock that ticks about as often as it
	// can be read is finer than a read here.
	s.Watch(reader, Watch{Values: 1, Enough: few, Most: patience}, Now)
	steps := s.Forward + s.Backwards
	if len(s.Kept) == 0 || s.Repeats < steps {
		return 0, steps > 0
	}
	slices.Sort(s.Kept)
	return s.Kept[len(s.Kept)/2] * nsPerTick, true
}
