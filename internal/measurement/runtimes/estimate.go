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
)

// advance reports progress after a step that takes this time on an idle machine.
func (r *runner) advance(idle time.Duration) {
	r.done = min(r.done+idle, r.whole)
	r.progress(r.done, r.whole)
}

// estimate returns the estimated time of the run on an idle machine, for the runtimes that are in PATH.
func (s Settings) estimate() (total time.Duration) {
	for _, selected := range s.Runtimes {
		if _, err := selected.find(selected.Path); err != nil {
			continue
		}
		of := selected.Runtime
		total += prepareTime + time.Duration(s.Starts)*s.onceTime(of)
		if len(s.Spans) > 0 {
			total += startTime // for the trace
			continue
		}
		total += s.onceTime(of) + s.stepsTime(of) + s.traceTime(of, tracedCalls) + s.traceTime(of, tracedCalls/2)
		if of.Threads {
			for _, threads := range s.Threads {
				total += passes * s.passTime(of, threads)
			}
		}
	}
	return total
}

// onceTime returns the estimated time of a start of a runtime that measures its costs, or its sleeps.
func (s Settings) onceTime(of Runtime) time.Duration {
	if len(s.Spans) == 0 {
		return of.WarmUp + startTime + time.Duration((len(of.Calls)+2)*s.slices(of))*of.slice()
	}
	total := startTime
	for _, w := range s.ways(of) {
		total += time.Duration(firstSleeps+s.Sleeps) * (w.span + sleepTime)
	}
	return total
}

// stepsTime returns the estimated time to watch the values of all calls: about half are coarse.
func (s Settings) stepsTime(of Runtime) time.Duration {
	total := of.WarmUp + startTime + time.Duration(len(of.Calls))*stepsTime/2
	if slices.ContainsFunc(of.Calls, func(c Call) bool { return c.Name == "time" || c.Name == "os.time" }) {
		total += secondsTime / 2
	}
	return total
}

// traceTime returns the estimated time of a traced run with a number of calls of each name.
func (s Settings) traceTime(of Runtime, times int) time.Duration {
	return startTime + time.Duration(times*len(of.Calls))*tracedCall
}

// passTime returns the estimated time of a pass with a number of threads.
func (s Settings) passTime(of Runtime, threads int) time.Duration {
	return of.WarmUp + startTime + time.Duration(len(of.Calls))*s.threadSpan(threads)
}
