package measure

import (
	"cmp"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/instrument/stats"
	"github.com/timebench/timebench/internal/measurement/compare"
)

const (
	// watchAtLeast is how long every clock is watched; watchAtMost is the limit for a slow clock.
	watchAtLeast = 2 * time.Millisecond
	watchAtMost  = 250 * time.Millisecond
	// longestAgain bounds the time of another watch, between two passes.
	longestAgain = 50 * time.Millisecond
	// enoughTicks is the number of steps that show the tick and whether the steps are equal.
	enoughTicks = 12
	// uneven is the ratio of the upper to the lower quartile above which the steps have no common length.
	uneven = 2
	// If a batch of reads takes longer than awayFrom, and this many times as long as planned, the thread lost its CPU.
	awayFrom  = time.Millisecond
	awayTimes = 4
	// mostSteps is the max number of steps that are kept of a fast clock.
	mostSteps = 1 << 16
	// mostValues is the max number of values in one batch of reads: they fit in the CPU's L1 cache.
	mostValues = 1024
)

// A watcher observes the steps of a clock's values.
type watcher struct {
	observe.Steps
	watchedNS int64
}

// watch reads until the clock has ticked several times, or for the time most.
func (w *watcher) watch(reader clock.Reader, readNS float64, most time.Duration) {
	values := min(mostValues, observe.ReadsIn(latencyChunk, readNS))
	w.Keep = mostSteps
	w.watchedNS += w.Watch(reader, observe.Watch{
		Values: values, Enough: enoughTicks, Least: min(watchAtLeast, most), Most: most,
		Away: max(awayFrom, time.Duration(awayTimes*readNS)*time.Duration(values)),
	}, observe.Now)
}

func watching(c clock.Clock) time.Duration {
	if !c.Coarse && c.Hz != 1 {
		return watchAtLeast
	}
	ticksNS := max(c.ReportedNS(), 1e9/c.Hz) * enoughTicks
	return min(watchAtMost, max(watchAtLeast, time.Duration(ticksNS)))
}

func (w *watcher) slow() bool { return w.Begun && len(w.Kept) < enoughTicks }

// result returns the resolution of the clock. hz is 0 if the rate is unknown.
func (w *watcher) result(hz, reportedNS float64) *compare.Resolution {
	if !w.Begun {
		return nil
	}
	r := &compare.Resolution{
		FinerThanRead: w.Finer(), ReportedNS: reportedNS, WatchedNS: w.watchedNS,
		Ticks: w.Forward, Backwards: w.Backwards,
	}
	if hz > 0 {
		unitNS := 1e9 / hz
		r.WorstBackwardsNS = float64(w.Farthest) * unitNS
		switch {
		case r.FinerThanRead:
			r.TickNS = unitNS
		case len(w.Kept) > 0:
			steps := w.Kept
			r.TickNS = stats.Median(steps) * unitNS
			if low, high := stats.Quantile(0.25, steps), stats.Quantile(0.75, steps); high > uneven*low {
				r.TickLowNS, r.TickHighNS = low*unitNS, high*unitNS
			}
		case unitNS > float64(w.watchedNS): // time(2) counts seconds
			r.TickNS = unitNS
		}
	}
	return r
}

// resolution watches every subject, and returns false if the run ended first.
func (r *runner) resolution() bool {
	if r.settings.WithoutResolution {
		return true
	}
	return r.each(r.subjects, func(s *subject) {
		s.resolution.watch(s.reader, s.readNS, watchAtMost)
		if s.failed() {
			s.resolution = watcher{}
		}
	})
}

// watchAgain watches the clocks with a short tick that the thread missed because it lost its CPU, for two ticks.
func (r *runner) watchAgain() {
	for _, s := range r.subjects {
		if s.failed() || !s.resolution.slow() || s.rate.Hz == 0 {
			continue
		}
		tickNS := cmp.Or(s.clock.ReportedNS(), float64(s.resolution.Smallest)*1e9/s.rate.Hz)
		if most := time.Duration(2 * tickNS); 0 < most && most < longestAgain {
			s.resolution.watch(s.reader, s.readNS, most)
		}
	}
}
