package runtimes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/measurement/wake"
	"github.com/timebench/timebench/internal/show/words"
)

// answer names the calls to use in the measured runtime and how much slower its slowest call for the wall clock is, or
// how much the wall clock takes in each of several runtimes, in one sentence.
func (s *Runtimes) answer() string {
	var slowest *MeasuredCall
	var fastest []*MeasuredCall // of each runtime
	for i := range s.Runtimes {
		if m := s.Runtimes[i].quickest(wall); m != nil {
			fastest = append(fastest, m)
		}
		for k := range s.Runtimes[i].Calls {
			if m := &s.Runtimes[i].Calls[k]; m.fits(wall) &&
				(slowest == nil || m.Latency.MedianNS > slowest.Latency.MedianNS) {
				slowest = m
			}
		}
	}
	byMedian := func(a, b *MeasuredCall) int { return cmp.Compare(a.Latency.MedianNS, b.Latency.MedianNS) }
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

// runtimeOf returns the name of the runtime of a call.
func runtimeOf(m *MeasuredCall) string { return m.ID[strings.LastIndex(m.ID, "@")+1:] }

// choice names the call to use for the wall clock and for durations in the runtime of the call.
func (s *Runtimes) choice(use, slowest *MeasuredCall) string {
	text := fmt.Sprintf("For the wall clock use %s, %s", use.ID, words.Duration(use.Latency.MedianNS))
	if use.ID != slowest.ID && use.Latency.MedianNS > 0 {
		times := words.Times(slowest.Latency.MedianNS / use.Latency.MedianNS)
		text += fmt.Sprintf(" (%s is %s× slower, %s)", slowest.Call, times, words.Duration(slowest.Latency.MedianNS))
	}
	of := slices.IndexFunc(s.Runtimes, func(r MeasuredRuntime) bool { return r.quickest(wall) == use })
	if m := s.Runtimes[of].quickest(monotonic); m != nil {
		text += fmt.Sprintf("; for durations %s, %s", m.Call, words.Duration(m.Latency.MedianNS))
	}
	return text + "."
}

// quickest returns the fastest call of a kind with a known resolution of a millisecond or less; or nil.
func (r *MeasuredRuntime) quickest(kind string) (fastest *MeasuredCall) {
	for i := range r.Calls {
		if m := &r.Calls[i]; m.fits(kind) && (fastest == nil || m.Latency.MedianNS < fastest.Latency.MedianNS) {
			fastest = m
		}
	}
	return fastest
}

// notCounted names the coarse calls for the wall clock that take longer than all that fit; "" without any.
func (s *Runtimes) notCounted() string {
	var all []string
	var slowestNS float64
	each := func(do func(*MeasuredCall)) {
		for i := range s.Runtimes {
			for k := range s.Runtimes[i].Calls {
				do(&s.Runtimes[i].Calls[k])
			}
		}
	}
	each(func(m *MeasuredCall) {
		if m.fits(wall) {
			slowestNS = max(slowestNS, m.Latency.MedianNS)
		}
	})
	each(func(m *MeasuredCall) {
		coarse := m.Kind == wall && m.Latency != nil && m.coarse() > 0
		if coarse && slowestNS > 0 && m.Latency.MedianNS > slowestNS*(1+section.Usual.MinChange) {
			all = append(all, m.ID+", "+words.Duration(m.Latency.MedianNS))
		}
	})
	if len(all) == 0 {
		return ""
	}
	return "Slower, but too coarse or of unknown resolution: " + strings.Join(all, "; ") + "."
}

// fits reports whether the call returns a clock of this kind, with a known resolution of a millisecond or less, and was
// timed.
func (m *MeasuredCall) fits(kind string) bool {
	return m.Kind == kind && m.Latency != nil && m.coarse() == 0
}
