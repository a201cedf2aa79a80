package runtimes

import (
	"fmt"
	"strings"

	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/show/words"
)

// answer returns which call for the wall clock is the slowest, and how it compares with the fastest one of the same
// runtime.
func (s *Runtimes) answer() string {
	var slowest *MeasuredCall
	var of *MeasuredRuntime
	for i := range s.Runtimes {
		for k := range s.Runtimes[i].Calls {
			if m := &s.Runtimes[i].Calls[k]; m.wallTimed() && (slowest == nil || m.Latency.MedianNS > slowest.Latency.MedianNS) {
				slowest, of = m, &s.Runtimes[i]
			}
		}
	}
	if slowest == nil {
		return "No call that returns the wall clock in steps of a millisecond or less was measured."
	}
	fastest := slowest
	for k := range of.Calls {
		if m := &of.Calls[k]; m.wallTimed() && m.Latency.MedianNS < fastest.Latency.MedianNS {
			fastest = m
		}
	}
	text := fmt.Sprintf("The slowest wall clock here: %s, %s", slowest.ID, words.Duration(slowest.Latency.MedianNS))
	if fastest != slowest && fastest.Latency.MedianNS > 0 {
		text += fmt.Sprintf(", %s times %s", words.Times(slowest.Latency.MedianNS/fastest.Latency.MedianNS), fastest.Call)
	}
	text += "."
	if of.TimedBy == "" {
		text += s.dominates(*slowest)
	}
	return text + s.slower(slowest.Latency.MedianNS)
}

// slower names the calls for the wall clock that take longer than the slowest one that wallTimed admits; "" if there
// are none.
func (s *Runtimes) slower(thanNS float64) string {
	var all []string
	for i := range s.Runtimes {
		for k := range s.Runtimes[i].Calls {
			if m := &s.Runtimes[i].Calls[k]; m.Kind == wall && m.Latency != nil && m.coarse() > 0 && m.Latency.MedianNS > thanNS*(1+section.Usual.MinChange) {
				all = append(all, m.ID+", "+words.Duration(m.Latency.MedianNS))
			}
		}
	}
	if len(all) == 0 {
		return ""
	}
	return " Slower, with a coarse or unknown resolution: " + strings.Join(all, "; ") + "."
}

// wallTimed reports whether the call returns the wall clock, with a known resolution of a millisecond or less, and was timed.
func (m *MeasuredCall) wallTimed() bool { return m.Kind == wall && m.Latency != nil && m.coarse() == 0 }
