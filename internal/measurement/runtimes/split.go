package runtimes

import (
	"strings"

	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/words"
)

// splitCell divides the wall time of a call into the cost of its reads of clocks without a runtime, and the time that
// the runtime adds; ≈ if it may add less than half of that. A clock that is read twice counts twice. The cell is empty
// if the cost of its reads is unknown, if the samples differ too much, and if the calls were timed by CPU time.
func (s *Runtimes) splitCell(l line) string {
	m := l.call
	if m.Latency == nil || len(m.Reads) == 0 || l.runtime.TimedBy != "" {
		return ""
	}
	clockNS, highNS := 0.0, 0.0
	for _, read := range m.Reads {
		clock := s.clock(read, m.KernelEntry)
		if clock == nil {
			return ""
		}
		clockNS += clock.MedianNS
		highNS += max(clock.MedianNS, clock.HighNS)
	}
	runtimeNS, leastNS := m.Latency.MedianNS-clockNS, m.Latency.LowNS-highNS
	text := words.NS(clockNS) + " + "
	const small = 0.1 // of the clock
	switch {
	case m.Latency.Confidence > 0 && leastNS > 0 && leastNS >= runtimeNS/2:
	case runtimeNS <= small*clockNS:
		text += "≈ "
	default:
		return ""
	}
	return text + words.NS(max(runtimeNS, 0))
}

// clock returns the latency of the system's clock with this name that enters the kernel as often, or nil. A program may
// reach the clock by another path than the vDSO.
func (s *Runtimes) clock(name, entry string) *compare.Latency {
	for _, c := range s.Clocks {
		if read, _, _ := strings.Cut(c.ID, "@"); read == name && c.KernelEntry == entry && entry != "" {
			return c.Latency
		}
	}
	return nil
}
