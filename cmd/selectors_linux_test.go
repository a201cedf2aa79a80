package cmd

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/diagnose/examine"
	"github.com/timebench/timebench/internal/measurement/drift"
	"github.com/timebench/timebench/internal/measurement/measure"
	"github.com/timebench/timebench/internal/measurement/skew"
)

// The alarm clocks need a device, and every read is a system call. They are measured only if a
// selector or --all names them.
func TestAlarmClocksAreNotMeasuredByDefault(t *testing.T) {
	alarms := []string{"CLOCK_REALTIME_ALARM@syscall", "CLOCK_BOOTTIME_ALARM@syscall"}
	in := func(clocks []clock.Clock) (found []string) {
		for _, c := range clocks {
			if slices.Contains(alarms, c.ID) {
				found = append(found, c.ID)
			}
		}
		return found
	}
	usual, err := chosen(false, nil, clock.Default())
	require.NoError(t, err)
	for name, clocks := range map[string][]clock.Clock{
		"compare": usual, "verify": clock.Default(), "skew": skew.DefaultClocks(), "drift": drift.DefaultClocks(), "doctor": examine.Clocks(measure.Settings{}),
	} {
		require.Empty(t, in(clocks), name)
		require.NotEmpty(t, clocks, name)
	}
	all, err := chosen(true, nil, nil)
	require.NoError(t, err)
	require.Equal(t, alarms, in(all))
	for _, selector := range append(alarms, "CLOCK_REALTIME_ALARM", "*_alarm@*") {
		named, err := chosen(false, []string{selector}, nil)
		require.NoError(t, err)
		require.NotEmpty(t, in(named), selector)
	}
}
