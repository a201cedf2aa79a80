package measure

import (
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/observe"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/stats"
)

const (
	// watchAtLeast is how long every clock's values are watched; watchAtMost
	// how long one that ticks slowly is, before it is left to glances.
	watchAtLeast = 2 * time.Millisecond
	watchAtMost  = 250 * time.Millisecond
	// enoughTicks is how many steps show what a step is, and whether they are alike.
	enoughTicks = 12
	// uneven: steps of which a quarter is so many times as long as another quarter
	// have no length in common.
	uneven = 2
	// Reads that take longer than awayFrom together, and so many times what they should,
	// were made by a thread that lost its CPU meanwhile.
	awayFrom  = time.Millisecond
	awayTimes = 4
	// mostSteps bounds the steps that are kept of a fast clock.
	mostSteps = 1 << 16
	// mostValues is the most values that one read of the watch takes: they fit
	// in the CPU's first cache.
	mostValues = 1024
	// rarely: a clock that repeats fewer than one value in so many is finer
	// than a read; the few came by accident (the vDSO clamps a counter that is
	// behind on another CPU).
	rarely = 1000
)

// A watcher sees how a clock's values step.
type watcher struct {
	begun     bool
	last      int64
	steps     []float64 // between values that differ, in ticks
	late      []float64 // those seen while the thread was away: several ticks may be in one
	ticked    int64     // steps seen, kept or not
	pairs     int64     // consecutive values seen
	repeats   int64     // pairs that were equal
	backwards int64     // pairs that went backwards
	worst     int64     // the largest such step, in ticks
	watchedNS int64
	since     int64 // the stopwatch when the watch began
	moved     bool  // a glance saw more ticks than it could count
}

// see takes consecutive values. away says that reading them took so long that the
// thread must have lost its CPU meanwhile.
func (w *watcher) see(values []int64, away bool) {
	for _, value := range values {
		if w.begun {
			w.pair(value-w.last, away)
		}
		w.begun, w.last = true, value
	}
}

func (w *watcher) pair(step int64, away bool) {
	w.pairs++
	switch {
	case step == 0:
		w.repeats++
	case step < 0:
		w.backwards++
		w.worst = max(w.worst, -step)
	default:
		w.ticked++
		kept := &w.steps
		if away {
			kept = &w.late
		}
		if len(*kept) < mostSteps {
			*kept = append(*kept, float64(step))
		}
	}
}

// watch reads until the clock has ticked several times, or for watchAtMost.
func (w *watcher) watch(reader clock.Reader, readNS float64) {
	values := make([]int64, min(mostValues, readsIn(latencyChunk, readNS)))
	long := max(int64(awayFrom), int64(awayTimes*readNS)*int64(len(values)))
	w.since = observe.Now()
	for {
		reader.Read(values)
		now := observe.Now() - w.since
		w.see(values, now-w.watchedNS > long)
		w.watchedNS = now
		if now >= int64(watchAtMost) || now >= int64(watchAtLeast) && !w.slow() {
			return
		}
	}
}

// watching is about how long a clock is watched.
func watching(c clock.Clock) time.Duration {
	if !c.Coarse && c.Hz != 1 {
		return watchAtLeast
	}
	ticksNS := max(c.ReportedNS(), 1e9/c.Hz) * enoughTicks
	return min(watchAtMost, max(watchAtLeast, time.Duration(ticksNS)))
}

// slow reports whether the clock has not yet shown what its step is.
func (w *watcher) slow() bool { return w.begun && len(w.steps) < enoughTicks }

// glance reads one value between other measurements, in ticks of hz. A step
// counts only when it is more than twice the time since the last glance: k ≥ 2
// ticks of P in a gap g make k·P ≤ g + P ≤ 2·g, so there was only one.
func (w *watcher) glance(reader clock.Reader, hz float64) {
	value := make([]int64, 1)
	reader.Read(value)
	now := observe.Now() - w.since
	gap := now - w.watchedNS
	w.watchedNS = now
	step := value[0] - w.last
	w.last = value[0]
	if step > 0 && float64(step)*1e9/hz <= 2*float64(gap) {
		w.moved = true
		return
	}
	w.pair(step, false)
}

// finer reports whether the clock ticks more often than it can be read.
func (w *watcher) finer() bool { return w.ticked > 0 && w.repeats*rarely < w.pairs }

// result words what was seen. hz may be 0 where the rate is not known.
func (w *watcher) result(hz, reportedNS float64) *result.Resolution {
	if !w.begun {
		return nil
	}
	r := &result.Resolution{
		FinerThanRead: w.finer(), ReportedNS: reportedNS, WatchedNS: w.watchedNS,
		Ticks: w.ticked, Moved: w.moved, Backwards: w.backwards,
	}
	if hz > 0 {
		unitNS := 1e9 / hz
		r.WorstBackwardsNS = float64(w.worst) * unitNS
		switch {
		case r.FinerThanRead:
			r.TickNS = unitNS
		case w.ticked > 0:
			steps := w.steps
			if len(steps) == 0 {
				steps = w.late
			}
			r.TickNS = stats.Median(steps) * unitNS
			if low, high := stats.Quantile(0.25, steps), stats.Quantile(0.75, steps); high > uneven*low {
				r.TickLowNS, r.TickHighNS = low*unitNS, high*unitNS
			}
		}
	}
	return r
}

// resolution watches every subject in turn.
func (r *runner) resolution() {
	for _, s := range r.subjects {
		if r.ended() {
			return
		}
		if s.failed() {
			continue
		}
		s.resolution.watch(s.reader, s.readNS)
		if s.failed() {
			s.resolution = watcher{}
		}
		r.tell(watching(s.clock))
	}
}

// glance looks at the slow clocks once more.
func (r *runner) glance() {
	for _, s := range r.subjects {
		if !s.failed() && s.resolution.slow() && s.rate.hz > 0 {
			s.resolution.glance(s.reader, s.rate.hz)
		}
	}
}
