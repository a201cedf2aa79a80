package runtimes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/measurement/wake"
	"github.com/timebench/timebench/internal/show/words"
)

func byMedian(a, b MeasuredCall) int { return cmp.Compare(a.Latency.MedianNS, b.Latency.MedianNS) }

// fitting returns the calls that return a clock of this kind, with a known resolution of a millisecond or less, whose
// wall time was measured.
func (r *MeasuredRuntime) fitting(kind string) []MeasuredCall {
	return slices.DeleteFunc(slices.Clone(r.Calls), func(m MeasuredCall) bool {
		return m.Kind != kind || m.Latency == nil || r.TimedBy != "" || m.coarse() > 0
	})
}

// wallClocks returns the fastest call that fits for the wall clock in each runtime that has one, and the slowest call
// for the wall clock of all, also if it is coarse.
func (s *Runtimes) wallClocks() (fastest []MeasuredCall, slowest MeasuredCall) {
	var all []MeasuredCall
	for i := range s.Runtimes {
		r := &s.Runtimes[i]
		if calls := r.fitting(wall); len(calls) > 0 {
			fastest = append(fastest, slices.MinFunc(calls, byMedian))
		}
		all = append(all, slices.DeleteFunc(r.byLatency(), func(m MeasuredCall) bool { return m.Kind != wall || r.TimedBy != "" })...)
	}
	if len(all) > 0 {
		slowest = slices.MaxFunc(all, byMedian)
	}
	return fastest, slowest
}

// answer names the calls to use in the measured runtime and how much slower its slowest call for the wall clock is, or
// how much the wall clock takes in each of several runtimes, in one sentence.
func (s *Runtimes) answer() string {
	fastest, slowest := s.wallClocks()
	switch available := func(r MeasuredRuntime) bool { return r.Available }; {
	case len(fastest) > 1:
		low, high := slices.MinFunc(fastest, byMedian), slices.MaxFunc(fastest, byMedian)
		return fmt.Sprintf("With the fastest call of each runtime, reading the wall clock takes %s (%s) to %s (%s); the slowest call is %s, %s.",
			words.Duration(low.Latency.MedianNS), runtimeOf(low), words.Duration(high.Latency.MedianNS),
			runtimeOf(high),
			slowest.ID, words.Duration(slowest.Latency.MedianNS))
	case len(fastest) == 1:
		return s.choice(fastest[0], slowest)
	case len(wake.Spans(s.sleeps())) > 0:
		return s.sleepAnswer()
	case !slices.ContainsFunc(s.Runtimes, available):
		return "No runtime could be measured."
	}
	return "No call that returns the wall clock in steps of a millisecond or less was measured."
}

func runtimeOf(m MeasuredCall) string { return m.ID[strings.LastIndex(m.ID, "@")+1:] }

// choice names the call to use for the wall clock, and the call to use for durations in the same runtime.
func (s *Runtimes) choice(use, slowest MeasuredCall) string {
	text := fmt.Sprintf("For the wall clock use %s, %s", use.ID, words.Duration(use.Latency.MedianNS))
	if use.ID != slowest.ID && use.Latency.MedianNS > 0 {
		name, times := slowest.Call, words.Times(slowest.Latency.MedianNS/use.Latency.MedianNS)
		if runtimeOf(slowest) != runtimeOf(use) {
			name = slowest.ID
		}
		text += fmt.Sprintf(" (%s is %s× slower, %s)", name, times, words.Duration(slowest.Latency.MedianNS))
	}
	of := slices.IndexFunc(s.Runtimes, func(r MeasuredRuntime) bool { return len(r.fitting(wall)) > 0 })
	if calls := s.Runtimes[of].fitting(monotonic); len(calls) > 0 {
		m := slices.MinFunc(calls, byMedian)
		text += fmt.Sprintf("; for durations %s, %s", m.Call, words.Duration(m.Latency.MedianNS))
	}
	return text + "."
}
