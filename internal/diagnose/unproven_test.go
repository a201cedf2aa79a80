package diagnose

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// A document without the key kernel_entry (from a command that does not test it, or older than
// the key) proves nothing: under hpet that is a finding, under tsc it is not.
func TestKernelEntryNotTested(t *testing.T) {
	const untested = "CLOCK_MONOTONIC@vdso · 640 ns/read (95% CI 634 ns to 646 ns) · kernel entry was not tested"
	d := well()
	compare.Into(d).Clocks = clocks(result.Never, 640)
	compare.Into(d).Clocks[0].KernelEntry, compare.Into(d).Clocks[0].KernelEntryBy = "", ""
	require.Empty(t, Findings(d), "a vDSO can read tsc")
	d.Host.ClockSource.Current = "hpet"
	findings := Findings(d)
	require.Len(t, findings, 1)
	require.Equal(t, "kernel-entry-unproven", findings[0].Kind)
	require.Contains(t, findings[0].Evidence, untested, "the proof for another clock does not count for this one")
	require.NotContains(t, worded(findings[0]), "CLOCK_REALTIME@vdso")
	require.Contains(t, findings[0].Cause, "so every read should be a system call; nothing here tested it.")
	require.NotContains(t, findings[0].Cause, "so every read is a system call")

	eachClock(d, func(c *compare.Clock) { c.KernelEntry, c.Latency = "", nil })
	findings = Findings(d)
	require.Len(t, findings, 1)
	require.Equal(t, "CLOCK_MONOTONIC@vdso, CLOCK_REALTIME@vdso · not timed · kernel entry was not tested", findings[0].Evidence[0])

	compare.Into(d).Clocks = clocks(result.Never, 640)
	require.Empty(t, Findings(d), "both are proven")
}
