package cmd

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/measure"
)

// smallPlan returns a plan for one clock and some milliseconds.
func smallPlan(t *testing.T) comparePlan {
	t.Helper()
	flags := unset()
	flags.threads, flags.rounds, flags.time = "1", 1, time.Millisecond
	plan, err := planComparison(flags, []string{"time.Now@go"}, fourCPUs())
	require.NoError(t, err)
	return plan
}

func TestComparisonIsMeasuredAsPlanned(t *testing.T) {
	plan := smallPlan(t)
	document, err := plan.measure(t.Context(), io.Discard, false)
	require.NoError(t, err)
	require.False(t, document.Interrupted)
	require.Equal(t, plan.recorded, document.Settings)
	require.Len(t, compare.Of(document).Clocks, 1)
	require.NotNil(t, compare.Of(document).Clocks[0].Latency)
	require.Len(t, compare.Of(document).Clocks[0].Throughput, 1)
	require.Empty(t, compare.Of(document).OtherClockSources)
}

func TestComparisonThatIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	document, err := smallPlan(t).measure(ctx, io.Discard, false)
	require.NoError(t, err)
	require.True(t, document.Interrupted)
	require.Len(t, compare.Of(document).Clocks, 1)
	require.Nil(t, compare.Of(document).Clocks[0].Latency)
}

// The command, with its start and its end, takes at most twice as long as it said, or a few seconds more.
func TestLimitOfTheAnnouncement(t *testing.T) {
	require.Equal(t, 15*time.Second, limitOf(9200*time.Millisecond), "about 10 s")
	require.Equal(t, 30*time.Second, limitOf(20*time.Second))
	require.Equal(t, 6*time.Second, limitOf(time.Millisecond), "about 1 s")
}

func TestRangeOfThreads(t *testing.T) {
	require.Equal(t, "1 thread", threadRange(measure.Settings{Threads: []int{1}}))
	require.Equal(t, "1 to 24 threads", threadRange(measure.Settings{Threads: []int{1, 2, 24}}))
	require.Equal(t, "2 processes", threadRange(measure.Settings{Threads: []int{2}, Processes: true}))
}
