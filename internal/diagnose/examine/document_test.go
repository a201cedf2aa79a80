package examine

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/measure"
)

// After a change of the clock source, the document has the new one, and the kernel's message about the old one.
func TestFactsAfterAChangeOfTheClockSource(t *testing.T) {
	defer func(was func() result.Host) { currentFacts = was }(currentFacts)
	before := result.Host{
		Kernel: "6.1", ClockSource: &result.ClockSource{Current: "tsc"}, KernelLog: &result.KernelLog{Source: "/dev/kmsg"},
	}
	after := result.Host{
		ClockSource: &result.ClockSource{Current: "hpet"},
		KernelLog:   &result.KernelLog{Source: "/dev/kmsg", Lines: []string{"[  9.1] tsc: Marking TSC unstable due to clocksource watchdog"}},
	}
	currentFacts = func() result.Host { return after }
	require.Equal(t, before, AfterChange(before, measure.Result{}))
	facts := AfterChange(before, measure.Result{Conditions: result.Conditions{ClockSources: []string{"tsc", "hpet"}}})
	require.Equal(t, result.Host{Kernel: "6.1", ClockSource: after.ClockSource, KernelLog: after.KernelLog}, facts)
}
