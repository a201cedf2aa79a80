package runtimes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/words"
)

// answer names the calls to use in the runtime with the slowest call for the wall clock, and how much slower that call
// is; and the disturbances of the run. d may be nil.
func (s *Runtimes) answer(d *result.Document) string {
	var slowest *MeasuredCall
	var of *MeasuredRuntime
	for i := range s.Runtimes {
		for k := range s.Runtimes[i].Calls {
			if m := &s.Runtimes[i].Calls[k]; m.fits(wall) && (slowest == nil || m.Latency.MedianNS > slowest.Latency.MedianNS) {
				slowest, of = m, &s.Runtimes[i]
			}
		}
	}
	if slowest == nil && len(s.spans()) > 0 {
		return s.sleepAnswer(d)
	}
	if slowest == nil && !slices.ContainsFunc(s.Runtimes, func(r MeasuredRuntime) bool { return r.Available }) {
		return "No runtime could be measured." + noisy(d)
	}
	if slowest == nil {
		return "No call that returns the wall clock in steps of a millisecond or less was measured." + noisy(d)
	}
	use := of.quickest(wall)
	text := fmt.Sprintf("For the wall clock use %s, %s", use.ID, words.Duration(use.Latency.MedianNS))
	if use.ID != slowest.ID && use.Latency.MedianNS > 0 {
		times := words.Times(slowest.Latency.MedianNS / use.Latency.MedianNS)
		text += fmt.Sprintf("; %s is %s× slower, %s", slowest.Call, times, words.Duration(slowest.Latency.MedianNS))
	}
	if parts, ok := s.split(*slowest); ok && of.TimedBy == "" {
		text += fmt.Sprintf(", of which the clock takes %s ns", words.NS(min(parts.clockNS, slowest.Latency.MedianNS)))
	}
	text += "."
	if m := of.quickest(monotonic); m != nil {
		text += fmt.Sprintf(" For durations use %s, %s.", m.Call, words.Duration(m.Latency.MedianNS))
	}
	return text + s.slower(slowest.Latency.MedianNS) + noisy(d)
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

// slower names the coarse calls for the wall clock that take longer than thanNS, the latency of the slowest call that
// fits; or returns "".
func (s *Runtimes) slower(thanNS float64) string {
	var all []string
	for i := range s.Runtimes {
		for k := range s.Runtimes[i].Calls {
			m := &s.Runtimes[i].Calls[k]
			coarse := m.Kind == wall && m.Latency != nil && m.coarse() > 0
			if coarse && m.Latency.MedianNS > thanNS*(1+section.Usual.MinChange) {
				all = append(all, m.ID+", "+words.Duration(m.Latency.MedianNS))
			}
		}
	}
	if len(all) == 0 {
		return ""
	}
	return " Not counted (too coarse, or of unknown resolution): " + strings.Join(all, "; ") + "."
}

// noisy returns what took CPU time from the run; "" if the run was undisturbed.
func noisy(d *result.Document) string {
	if d == nil {
		return ""
	}
	var saw []string
	for _, w := range d.Warnings {
		if compare.ContendedFrom([]result.Warning{w}, 1) == 1 {
			saw = append(saw, w.Saw)
		}
	}
	if len(saw) == 0 {
		return ""
	}
	return " Noisy: " + words.Sentence(strings.Join(saw, "; "))
}

// fits reports whether the call returns a clock of this kind, with a known resolution of a millisecond or less, and was
// timed.
func (m *MeasuredCall) fits(kind string) bool {
	return m.Kind == kind && m.Latency != nil && m.coarse() == 0
}
