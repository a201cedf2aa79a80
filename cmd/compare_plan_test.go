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

// unset returns the flags of compare if none is given.
func unset() compareFlags { return compareFlags{pin: "none", workers: "threads", repeat: 1} }

func fourCPUs() result.Host { return result.Host{CPU: result.CPU{Logical: 4, Usable: 4}} }

func TestPlanOfNoFlags(t *testing.T) {
	plan, err := planComparison(unset(), nil, fourCPUs())
	require.NoError(t, err)
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
	flags := unset()
	flags.threads = "1..200"
	many, err := planComparison(flags, nil, fourCPUs())
	require.NoError(t, err)
	flags.threads = "1"
	one, err := planComparison(flags, nil, fourCPUs())
	require.NoError(t, err)
	require.Equal(t, one.settings.Time, many.settings.Time)
}

// By default there are no more threads than CPUs to pin them to.
func TestPlanOfPinnedThreads(t *testing.T) {
	flags := unset()
	flags.pin = strconv.Itoa(thread.Usable()[0])
	plan, err := planComparison(flags, nil, fourCPUs())
	require.NoError(t, err)
	require.Equal(t, []int{1}, plan.settings.Threads)
	require.Equal(t, thread.Usable()[:1], plan.settings.Pin)
	require.Equal(t, flags.pin, plan.recorded.Pin)
}

// Explicit settings are measured in full; a run of the defaults adapts to a busy machine.
func TestOnlyTheDefaultsAreLimited(t *testing.T) {
	limited := func(change func(*compareFlags)) time.Duration {
		flags := unset()
		change(&flags)
		plan, err := planComparison(flags, nil, fourCPUs())
		require.NoError(t, err)
		return plan.settings.Limit
	}
	require.Positive(t, limited(func(*compareFlags) {}))
	require.Zero(t, limited(func(f *compareFlags) { f.threads = "1..24" }))
	require.Zero(t, limited(func(f *compareFlags) { f.rounds = 1000 }))
	require.Zero(t, limited(func(f *compareFlags) { f.time = time.Second }))
	require.Zero(t, limited(func(f *compareFlags) { f.limit = time.Hour }))
}
