package runtimes

import (
	"fmt"

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
		return "No call that returns the wall clock was measured."
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
	if of.TimedBy != "" {
		return text + "."
	}
	return text + "." + s.dominates(*slowest)
}

// wallTimed reports whether the call returns the wall clock, not in whole seconds or as a text, and was timed.
func (m *MeasuredCall) wallTimed() bool { return m.Kind == wall && m.Latency != nil && m.coarse() == 0 }
