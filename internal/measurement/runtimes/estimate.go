package runtimes

import (
	"slices"
	"time"
)

const (
	// startTime is the estimated time to start a runtime on an idle machine, tracedCall the estimated time of a traced
	// call, and sleepTime the estimated lateness of a sleep and its pause.
	startTime  = 60 * time.Millisecond
	tracedCall = 100 * time.Microsecond
	sleepTime  = time.Millisecond
	// prepareTime is the estimated time until the benchmark of a runtime can start.
	prepareTime = 400 * time.Millisecond
	// enoughStarts is the time of starts on an idle machine that shows how busy this one is. All starts take longer.
	enoughStarts = 500 * time.Millisecond
)

// setPace adds a start to the first starts. When they were long enough, it sets the pace, and the estimate of the run.
// The warm-up takes the same time on a busy machine.
func (r *runner) setPace(of Runtime, took time.Duration) {
	if r.settings.pace > 0 {
		return
	}
	r.first.took += took - of.WarmUp
	r.first.idle += r.settings.onceTime(of) - of.WarmUp
	if r.first.idle < enoughStarts {
		return
	}
	r.settings.pace = max(1, r.first.took.Seconds()/r.first.idle.Seconds())
	r.done = time.Since(r.began) - took // advance adds this start
	r.estimate = r.prepared
	for _, s := range r.available() {
		r.estimate += r.settings.estimateOf(s.Runtime)
	}
}

// firstEstimate returns the estimated time of the run on an idle machine, for the runtimes that are in PATH.
func (s Settings) firstEstimate() (total time.Duration) {
	for _, selected := range s.Runtimes {
		if _, err := selected.find(selected.Path); err != nil {
			continue
		}
		of := selected.Runtime
		if len(s.Spans) > 0 {
			of.Calls, of.WarmUp = nil, 0
		}
		total += prepareTime + s.estimateOf(of)
	}
	return total
}

// advance reports progress after a step that was expected to take this time.
func (r *runner) advance(expected time.Duration) {
	if r.estimate > 0 {
		r.done = min(r.done+expected, r.estimate)
		r.progress(r.done, r.estimate)
	}
}

// waiting returns the time here of a program that takes idle on an idle machine.
func (s Settings) waiting(idle time.Duration) time.Duration {
	return time.Duration(float64(idle) * max(1, s.pace))
}

// costTime returns the estimated time of a start of a runtime that measures its costs.
func (s Settings) costTime(of Runtime) time.Duration {
	return of.WarmUp + s.waiting(startTime+time.Duration((len(of.Calls)+2)*s.slices(of))*of.slice())
}

// onceTime returns the estimated time of a start of a runtime that measures its costs, or its sleeps.
func (s Settings) onceTime(of Runtime) time.Duration {
	if len(s.Spans) == 0 {
		return s.costTime(of)
	}
	total := startTime
	for _, w := range s.ways(of) {
		total += time.Duration(batchSleeps+s.Sleeps) * (w.span + sleepTime)
	}
	return s.waiting(total)
}

// stepsTime returns the estimated time to watch the values of all calls: about half are coarse.
func (s Settings) stepsTime(of Runtime) time.Duration {
	total := of.WarmUp + s.waiting(startTime) + time.Duration(len(of.Calls))*stepsTime/2
	if slices.ContainsFunc(of.Calls, func(c Call) bool { return c.Name == "time" || c.Name == "os.time" }) {
		total += secondsTime / 2
	}
	return total
}

// traceTime returns the estimated time of a traced run with a number of calls of each name.
func (s Settings) traceTime(of Runtime, times int) time.Duration {
	return s.waiting(startTime + time.Duration(times*len(of.Calls))*tracedCall)
}

// passTime returns the estimated time of a pass with a number of threads.
func (s Settings) passTime(of Runtime, threads int) time.Duration {
	return of.WarmUp + s.waiting(startTime+time.Duration(len(of.Calls))*s.threadSpan(threads))
}

// estimateOf returns the estimated time to measure a runtime.
func (s Settings) estimateOf(of Runtime) time.Duration {
	if len(s.Spans) > 0 {
		return time.Duration(s.Starts)*s.onceTime(of) + s.traceTime(of, tracedSleeps)
	}
	total := time.Duration(s.Starts+1)*s.costTime(of) + s.stepsTime(of)
	total += s.traceTime(of, tracedCalls) + s.traceTime(of, enteringCalls)
	if of.Threads {
		for _, threads := range s.Threads {
			total += passes * s.passTime(of, threads)
		}
	}
	return total
}
