package measure

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
)

func TestRepeatKeepsTheSamplesOfEachRun(t *testing.T) {
	opened := 0
	c := fake("c", func() (clock.Reader, error) {
		opened++
		return spinner(func(n int) { busy(time.Duration(n) * time.Microsecond) }), nil
	})
	var done, total time.Duration
	s := quick(1)
	measured, err := Repeat(context.Background(), 2, []clock.Clock{c}, s, func(d, of time.Duration) {
		require.GreaterOrEqual(t, d, done, "progress goes on from run to run")
		done, total = d, of
	})
	require.NoError(t, err)
	require.Equal(t, []int{6, 6}, measured.Clocks[0].Latency.Runs)
	require.Len(t, measured.Clocks[0].Latency.QuietSamplesNS, 12)
	require.Len(t, measured.Clocks[0].Throughput[0].Runs, 2)
	require.InEpsilon(t, done, total, 0.5, "the end")
	once := opened
	ran(t, s, c)
	require.Equal(t, once, 2*(opened-once), "each run opens its own readers")
}

// An interrupted run counts only without a complete run.
func TestRepeatEndsWithTheCompleteRuns(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	c := fake("c", func() (clock.Reader, error) {
		return spinner(func(n int) { busy(time.Duration(n) * time.Microsecond) }), nil
	})
	measured, err := Repeat(ctx, 3, []clock.Clock{c}, quick(1), func(done, total time.Duration) {
		if done > total/2 { // in the second run
			cancel()
		}
	})
	require.NoError(t, err)
	require.True(t, measured.Interrupted)
	require.Nil(t, measured.Clocks[0].Latency.Runs)
	require.Len(t, measured.Clocks[0].Latency.SamplesNS, 6)

	measured, err = Repeat(ctx, 3, []clock.Clock{c}, quick(1), nil)
	require.NoError(t, err)
	require.True(t, measured.Interrupted)
	require.Empty(t, measured.Clocks[0].Latency)
}
