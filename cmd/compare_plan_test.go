package cmd

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/thread"
)

// planned returns the plan of flags, for a machine with four CPUs.
func planned(t *testing.T, change func(*compareFlags)) comparePlan {
	t.Helper()
	flags := compareFlags{pin: "none", workers: "threads", repeat: 1}
	change(&flags)
	plan, err := planComparison(flags, nil, result.Host{CPU: result.CPU{Logical: 4, Usable: 4}})
	require.NoError(t, err)
	return plan
}

func TestPlanOfNoFlags(t *testing.T) {
	plan := planned(t, func(*compareFlags) {})
	require.Len(t, plan.clocks, len(clock.Default()))
	require.Equal(t, []int{1, 2, 4}, plan.settings.Threads)
	require.Equal(t, plan.settings.DefaultRounds(len(plan.clocks)), plan.settings.Rounds)
	require.Equal(t, plan.settings.DefaultTime(len(plan.clocks)), plan.settings.Time)
	require.Positive(t, plan.settings.Rounds)
	require.Positive(t, plan.settings.Time)
	require.Zero(t, plan.settings.Distribution)
	require.Empty(t, plan.otherSources)
	require.Equal(t, result.Settings{
		Threads: []int{1, 2, 4}, Rounds: plan.settings.Rounds, TimeNS: int64(plan.settings.Time), Pin: "none",
		Workers: "threads",
	}, plan.recorded)
}

// A long list of --threads does not shorten the measurements.
func TestPlanOfManyThreads(t *testing.T) {
	of := func(threads string) time.Duration {
		return planned(t, func(f *compareFlags) { f.threads = threads }).settings.Time
	}
	require.Equal(t, of("1"), of("1..200"))
}

// By default there are no more threads than CPUs to pin them to.
func TestPlanOfPinnedThreads(t *testing.T) {
	pin := strconv.Itoa(thread.Usable()[0])
	plan := planned(t, func(f *compareFlags) { f.pin = pin })
	require.Equal(t, []int{1}, plan.settings.Threads)
	require.Equal(t, thread.Usable()[:1], plan.settings.Pin)
	require.Equal(t, pin, plan.recorded.Pin)
}

// Explicit settings are measured in full; a run of the defaults adapts to a busy machine.
func TestOnlyTheDefaultsAreLimited(t *testing.T) {
	limited := func(change func(*compareFlags)) time.Duration { return planned(t, change).settings.Limit }
	require.Positive(t, limited(func(*compareFlags) {}))
	require.Zero(t, limited(func(f *compareFlags) { f.threads = "1..24" }))
	require.Zero(t, limited(func(f *compareFlags) { f.rounds = 1000 }))
	require.Zero(t, limited(func(f *compareFlags) { f.time = time.Second }))
	require.Zero(t, limited(func(f *compareFlags) { f.limit = time.Hour }))
}
