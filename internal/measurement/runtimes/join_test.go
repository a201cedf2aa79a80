package runtimes

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/wake"
)

func TestJoinedCallsHaveTheSamplesOfAllRuns(t *testing.T) {
	run := func(ns float64, calls ...string) *Runtimes {
		java := MeasuredRuntime{Name: "java"}
		for _, id := range calls {
			java.Calls = append(java.Calls, MeasuredCall{ID: id,
				Latency: compare.LatencyOf([]float64{ns, ns + 1}, nil)})
		}
		java.Sleeps = []wake.SleepWay{{ID: "s", Spans: []wake.SleepSpan{wake.NewSpan(time.Millisecond,
			[][]float64{{ns}, {ns + 2}})}}}
		return &Runtimes{DurationNS: 5, Runtimes: []MeasuredRuntime{java}}
	}
	first := run(20, "a", "b")
	joined := join([]*Runtimes{first, run(22, "a", "c")})
	require.Equal(t, int64(10), joined.DurationNS)
	calls := joined.Runtimes[0].Calls
	require.Len(t, calls, 2, "the calls are those of the first run")
	require.Equal(t, []int{2, 2}, calls[0].Latency.Runs)
	require.Equal(t, []float64{20, 21, 22, 23}, calls[0].Latency.SamplesNS)
	require.Nil(t, calls[1].Latency.Runs)
	other := run(90, "a", "b")
	other.Runtimes[0].Path = "/opt/java"
	require.Equal(t, first.Runtimes, join([]*Runtimes{first, other}).Runtimes, "another interpreter")
	slept := joined.Runtimes[0].Sleeps[0].Spans[0]
	require.Equal(t, []float64{20, 22, 22, 24}, slept.PartMediansNS)
	require.Equal(t, 4, slept.Samples)
	require.Equal(t, 24.0, slept.MaxLateNS)
	require.Len(t, first.Runtimes[0].Sleeps[0].Spans[0].PartMediansNS, 2, "the runs are not changed")
	require.Nil(t, first.Runtimes[0].Calls[0].Latency.Runs, "the runs are not changed")
}
