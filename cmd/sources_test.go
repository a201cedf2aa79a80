package cmd

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/measure"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/verify"
)

// A change of the clock source during a run is a warning of its document, for each of the
// commands that watch clocks.
func TestChangeOfTheClockSourceIsAWarning(t *testing.T) {
	defer func(was func() string) { currentClockSource = was }(currentClockSource)
	clocks, err := clock.Select(clock.Catalog(), []string{"time.Now@go"})
	require.NoError(t, err)
	for _, test := range []struct {
		during, want string
	}{{"tsc", ""}, {"hpet", "the kernel's clock source changed during the run: tsc, then hpet"}, {"", ""}} {
		source := "tsc"
		currentClockSource = func() string { return source }
		flags := &sectionFlags{time: time.Millisecond, quiet: true, reportFlags: reportFlags{format: "table"}}
		var out strings.Builder
		measure := func(_ context.Context, d *result.Document, tell func(done, total time.Duration)) error {
			d.Put(&verify.Verification{CPUs: []int{0}, Clocks: []verify.VerifiedClock{}})
			source = test.during
			tell(0, 0)
			return nil
		}
		document, err := flags.run(&out, io.Discard, sectionRun{"Verifying 1 clock", clocks, 1, measure})
		require.NoError(t, err)
		if test.want == "" {
			require.Empty(t, document.Warnings)
			continue
		}
		require.Len(t, document.Warnings, 1)
		require.Equal(t, test.want, document.Warnings[0].Saw)
		require.Contains(t, out.String(), test.want)
	}
}

// A source that comes and goes again is seen while the run lasts.
func TestSourceThatChangesBack(t *testing.T) {
	source, told := "tsc", 0
	w := &sourceWatch{current: func() string { return source }}
	w.look()
	tell := w.during(func(time.Duration, time.Duration) { told++ })
	source = "hpet"
	tell(0, 0) // too soon after the last look
	w.looked = time.Time{}
	tell(0, 0)
	source = "tsc"
	require.Contains(t, w.warnings()[0].Saw, "tsc, then hpet, then tsc")
	require.Equal(t, 2, told)
}

// Where the clock source changed, the facts are those of after the run: what is in use, and
// what the kernel said when it gave the other one up.
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
	require.Equal(t, before, afterChange(before, measure.Result{}))
	facts := afterChange(before, measure.Result{Conditions: result.Conditions{ClockSources: []string{"tsc", "hpet"}}})
	require.Equal(t, result.Host{Kernel: "6.1", ClockSource: after.ClockSource, KernelLog: after.KernelLog}, facts)
}
