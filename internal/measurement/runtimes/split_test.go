package runtimes

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
)

func latency(ns float64) *compare.Latency {
	return &compare.Latency{MedianNS: ns, LowNS: ns - 1, HighNS: ns + 1, Confidence: 0.95}
}

func TestACallIsItsClockAndItsRuntime(t *testing.T) {
	s := &Runtimes{Clocks: []SystemClock{{ID: "CLOCK_MONOTONIC@vdso", Latency: latency(20), KernelEntry: result.Never}}}
	call := func(ns float64, entry string, reads ...string) MeasuredCall {
		return MeasuredCall{ID: "now@x", Kind: wall, Latency: latency(ns), Reads: reads, KernelEntry: entry,
			TracedCalls: 1}
	}
	cell := func(m MeasuredCall) string { return s.splitCell(line{runtime: &MeasuredRuntime{}, call: m}) }
	for want, m := range map[string]MeasuredCall{
		"20.0 + 5.00":   call(25, result.Never, "CLOCK_MONOTONIC"),
		"20.0 + ≈ 1.00": call(21, result.Never, "CLOCK_MONOTONIC"),
		"20.0 + ≈ 0.00": call(19, result.Never, "CLOCK_MONOTONIC"),
		"40.0 + 60.0":   call(100, result.Never, "CLOCK_MONOTONIC", "CLOCK_MONOTONIC"),
	} {
		require.Equal(t, want, cell(m))
	}
	busy := call(50, result.Never, "CLOCK_MONOTONIC")
	busy.Latency.LowNS, busy.Latency.HighNS = 24, 67
	require.Empty(t, cell(busy), "the call may have waited for the CPU")
	for name, m := range map[string]MeasuredCall{
		"another path":      call(100, result.Always, "CLOCK_MONOTONIC"),
		"no such clock":     call(100, result.Never, "CLOCK_MONOTONIC", "CLOCK_TAI"),
		"reads nothing":     call(100, result.Never),
		"reads are unknown": {Latency: latency(100)},
		"not timed":         {Reads: []string{"CLOCK_MONOTONIC"}, KernelEntry: result.Never},
	} {
		require.Empty(t, cell(m), name)
	}
}
