package observe

import (
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/stats"
)

// Steps are the steps of a clock's values from one read to the next, in ticks of the clock. The zero value has no
// steps. A value whose Keep is 0 may be copied, as a snapshot.
type Steps struct {
	// Keep is the max number of steps in Kept.
	Keep int

	Pairs     int64 // of consecutive values
	Repeats   int64 // pairs of equal values
	Forward   int64 // steps forward
	Smallest  int64 // the smallest step forward; 0 before the first
	Backwards int64 // steps back
	Farthest  int64 // the largest step back
	// Kept are the first steps forward, without those after the thread had lost its CPU: they may be several ticks.
	Kept []float64

	Begun bool  // whether there was a value
	Last  int64 // the last value

	timely int64 // steps forward that were not late
}

// See takes the next consecutive values. away is whether reading them took so long that the
// thread must have lost its CPU.
func (s *Steps) See(values []int64, away bool) {
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
			s.Forward++
			if s.Smallest == 0 || step < s.Smallest {
				s.Smallest = step
			}
			if away {
				break
			}
			if s.timely++; len(s.Kept) < s.Keep {
				s.Kept = append(s.Kept, float64(step))
			}
		}
		s.Last = value
	}
	s.Pairs += int64(len(values))
}

// Finer returns whether the clock ticks more often than it can be read. Fewer repeats than
// one in a thousand are ignored: the vDSO clamps a counter that is behind on another CPU.
func (s *Steps) Finer() bool {
	const rarely = 1000
	return s.Forward > 0 && s.Repeats*rarely < s.Pairs
}

// A Watch is how, and for how long, a clock is watched.
type Watch struct {
	// Values is the number of consecutive reads in one batch.
	Values int
	// Enough is the number of steps forward that end the watch, without late ones.
	Enough int64
	// Least is the min time of the watch. Most is the max time, if the clock does not make enough steps.
	Least, Most time.Duration
	// Away is the max time of a batch; the steps of a longer one are late. 0 means no limit.
	Away time.Duration
}

// Watch watches a clock, and returns for how many nanoseconds. now returns the nanoseconds
// since some start; if it stands still, the watch ends after some millions of reads.
func (s *Steps) Watch(reader clock.Reader, w Watch, now func() int64) (watchedNS int64) {
	const mostStill = 1 << 22
	values := make([]int64, w.Values)
	away := s.Begun // the last value is of an earlier watch
	begun := now()
	for still := 0; still < mostStill; still += w.Values {
		reader.Read(values)
		passed := now() - begun
		// The thread may have lost its CPU after the last value of a batch: then the next value is late too.
		rest := values
		if away {
			s.See(values[:1], true)
			rest = values[1:]
		}
		away = w.Away > 0 && passed-watchedNS > int64(w.Away)
		s.See(rest, away)
		if passed != watchedNS {
			watchedNS, still = passed, 0
		}
		// A thread that lost its CPU in the first read has no two values yet.
		if s.Pairs > 0 && passed >= int64(w.Most) || passed >= int64(w.Least) && s.timely >= w.Enough {
			break
		}
	}
	return watchedNS
}

// Step watches a clock for up to patience, by the stopwatch now, and returns its tick in nanoseconds: the median of a
// few steps between different values, or 0 if the clock is finer than a read, so that nearly every value differs from
// the one before. moved is false if the clock made no step. A single long step only shows that the clock stood still or
// the thread lost its CPU, so it is the median.
func Step(reader clock.Reader, nsPerTick float64, patience time.Duration,
	now func() int64) (stepNS float64, moved bool) {
	const few = 9
	s := Steps{Keep: few}
	// The stopwatch is read between any two values, so a clock that ticks about as often as
	// it can be read counts as finer than a read.
	s.Watch(reader, Watch{Values: 1, Enough: few, Most: patience}, now)
	steps := s.Forward + s.Backwards
	if len(s.Kept) == 0 || s.Repeats < steps {
		return 0, steps > 0
	}
	return stats.Median(s.Kept) * nsPerTick, true
}
