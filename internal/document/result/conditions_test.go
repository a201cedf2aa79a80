package result_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
)

func TestConditionsOfRunsAreJoined(t *testing.T) {
	of := func(cpu int, stepNS int64, steal float64) *result.Conditions {
		return &result.Conditions{DurationNS: 5, Turns: 3, InterruptedTurns: 1, StealShare: steal, LostCPUs: []int{cpu}, WallStepNS: stepNS}
	}
	joined := result.JoinConditions([]*result.Conditions{of(20, -20, 0.25), of(22, -22, 0.5), of(21, 21, 0.75)})
	require.InDelta(t, 0.5, joined.StealShare, 1e-12)
	joined.StealShare = 0
	require.Equal(t, &result.Conditions{DurationNS: 15, Turns: 9, InterruptedTurns: 3, LostCPUs: []int{20, 21, 22}, WallStepNS: -22}, joined)
}

func TestPassesOfRunsAreJoinedByThreads(t *testing.T) {
	joined := result.JoinConditions([]*result.Conditions{
		{CompleteRounds: 9, FloorLowNS: 1.5, FloorHighNS: 1.6, Passes: []result.Passes{{Threads: 4, Planned: 20, Complete: 7, Starved: 1, Reasons: []string{"b"}}}},
		nil,
		{CompleteRounds: 5, Passes: []result.Passes{{Threads: 2, Planned: 20, Complete: 20, Starved: 3}, {Threads: 4, Planned: 20, Reasons: []string{"a", "b"}}}},
	})
	require.Nil(t, result.JoinConditions([]*result.Conditions{nil}))
	require.Equal(t, 5, joined.CompleteRounds)
	require.Equal(t, 1.5, joined.FloorLowNS, "a run with few rounds has none")
	require.Equal(t, []result.Passes{
		{Threads: 2, Planned: 20, Complete: 20, Starved: 3}, {Threads: 4, Planned: 40, Complete: 7, Starved: 1, Reasons: []string{"a", "b"}},
	}, joined.Passes)
}
