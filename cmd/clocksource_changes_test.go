package cmd

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/verify"
)

// A change of the clock source during verify, skew or drift is a warning in the document.
func TestChangeOfTheClockSourceIsAWarning(t *testing.T) {
	defer func(was func() string) { currentClockSource = was }(currentClockSource)
	clocks, err := clock.Select(clock.Catalog(), []string{"time.Now@go"})
	require.NoError(t, err)
	for _, test := range []struct {
		during, want string
	}{{"tsc", ""}, {"hpet", "the kernel's clock source changed during the run: tsc, then hpet"}, {"", ""}} {
		source := "tsc"
		currentClockSource = func() string { return source }
		flags := &sectionFlags{time: time.Millisecond, reportFlags: reportFlags{format: "table", quiet: true}}
		var out strings.Builder
		measure := func(_ context.Context, d *result.Document, progress func(done, total time.Duration)) error {
			d.Put(&verify.Verification{CPUs: []int{0}, Clocks: []verify.VerifiedClock{}})
			source = test.during
			progress(0, 0)
			return nil
		}
		document, err := flags.run(&out, io.Discard, sectionRun{"Verifying 1 clock", clocks, []int{1}, flags.time, measure})
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

// A clock source that changes back is recorded during the run.
func TestClockSourceThatChangesBack(t *testing.T) {
	source, calls := "tsc", 0
	c := &clockSourceChanges{current: func() string { return source }}
	c.check()
	progress := c.onProgress(func(time.Duration, time.Duration) { calls++ })
	source = "hpet"
	progress(0, 0) // too soon after the last check
	require.Equal(t, []string{"tsc"}, c.sources)
	c.checked = time.Time{}
	progress(0, 0)
	source = "tsc"
	require.Contains(t, c.warnings()[0].Saw, "tsc, then hpet, then tsc")
	require.Equal(t, 2, calls)
}
