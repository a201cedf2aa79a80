package runtimes

import (
	"strings"

	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/words"
)

// A split divides the wall time of a call into the cost of its reads of clocks without a runtime, and the time that the
// runtime adds.
type split struct {
	clockNS, runtimeNS float64
	// significant is whether the runtime certainly adds at least half of runtimeNS.
	significant bool
}

// split returns the parts of a call; ok is false if the cost of its reads is unknown, or the samples differ too much to
// show what the runtime adds. A clock that is read twice counts twice.
func (s *Runtimes) split(m MeasuredCall) (parts split, ok bool) {
	if m.Latency == nil || len(m.Reads) == 0 {
		return split{}, false
	}
	highNS := 0.0
	for _, read := range m.Reads {
		clock := s.clock(read, m.KernelEntry)
		if clock == nil {
			return split{}, false
		}
		parts.clockNS += clock.MedianNS
		highNS += max(clock.MedianNS, clock.HighNS)
	}
	parts.runtimeNS = m.Latency.MedianNS - parts.clockNS
	addedNS := m.Latency.LowNS - highNS // at least
	parts.significant = m.Latency.Confidence > 0 && addedNS > 0 && addedNS >= parts.runtimeNS/2
	const small = 0.1 // of the clock
	return parts, parts.significant || parts.runtimeNS <= small*parts.clockNS
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

// String returns the parts as a sum.
func (p split) String() string {
	rest := words.NS(max(p.runtimeNS, 0))
	if !p.significant {
		rest = "≈ " + rest
	}
	return words.NS(p.clockNS) + " + " + rest
}

// splitCell returns the parts of a call; empty if they are unknown, or the calls were timed by CPU time.
func (s *Runtimes) splitCell(l line) string {
	parts, ok := s.split(l.call)
	if !ok || l.runtime.TimedBy != "" {
		return ""
	}
	return parts.String()
}
