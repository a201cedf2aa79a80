package runtimes

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/ptrace"
)

// If calls read different clocks, any read that enters the kernel counts. If all calls read the same clocks, other
// reads are the runtime's own.
func TestKernelEntryOfACallThatReadsDifferentClocks(t *testing.T) {
	spans := func(enters, not int) (all []ptrace.Span) {
		for range enters {
			all = append(all, ptrace.Span{Reads: []string{"CLOCK_PROCESS_CPUTIME_ID"}})
		}
		for range not {
			all = append(all, ptrace.Span{})
		}
		return all
	}
	for name, c := range map[string]struct {
		attributed int
		visible    []ptrace.Span
		want       string
	}{
		"different":            {600, spans(80, 120), result.Sometimes},
		"different, all enter": {600, spans(200, 0), result.Always},
		"different, none does": {600, spans(0, 200), result.Never},
		"the runtime's own":    {1000, spans(1, 199), result.Never},
		"not traced":           {1000, nil, result.Unknown},
	} {
		m := MeasuredCall{Reads: []string{"CLOCK_MONOTONIC"}, TracedCalls: 1000, AttributedCalls: c.attributed}
		m.setKernelEntry(c.visible)
		require.Equal(t, c.want, m.KernelEntry, name)
	}
	// A CPU time that reads no clock comes from a file, as in Java before 26.
	m := MeasuredCall{Kind: cpuTime, TracedCalls: 1000, AttributedCalls: 990}
	m.setKernelEntry(spans(0, 200))
	require.Equal(t, result.Always, m.KernelEntry)
	require.Equal(t, "a file of /proc", m.readsCell())
}
