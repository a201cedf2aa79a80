package verify

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/section"
)

func TestVerdictsOfClocksAreCompared(t *testing.T) {
	warp := []ClockFault{{Kind: FaultWarp, Count: 17}}
	old := &Verification{CPUs: []int{0, 1}, Clocks: []VerifiedClock{
		{ID: "held", Verdict: IsMonotonic, Reads: 5}, {ID: "fell", Verdict: IsMonotonic},
		{ID: "other fault", Verdict: Faulty, Faults: []ClockFault{{Kind: FaultStall, Count: 1}}}, {ID: "gone", Verdict: IsMonotonic},
	}, Relations: []Relation{{Clock: "a", Against: "b", Held: true}, {Clock: "b", Against: "a", Held: true}, {Clock: "c", Against: "a", Held: true}}}
	new := &Verification{CPUs: []int{0}, Load: true, Clocks: []VerifiedClock{
		{ID: "other fault", Verdict: Faulty, Faults: []ClockFault{{Kind: FaultJump, Count: 1}}}, {ID: "fresh", Verdict: IsMonotonic},
		{ID: "fell", Verdict: OneCPU, Faults: warp}, {ID: "held", Verdict: IsMonotonic, Reads: 7},
	}, Relations: []Relation{{Clock: "a", Against: "b"}, {Clock: "b", Against: "a", Held: true}}}
	all := changesOf(old, new)
	changes, ok := all.Value.(*Changes)
	require.True(t, ok)
	require.Equal(t, &Changes{
		Coverage: section.Coverage{OnlyOld: []string{"gone"}, OnlyNew: []string{"fresh"}},
		Verdicts: []VerdictChange{
			{Clock: "held", Old: IsMonotonic, New: IsMonotonic},
			{Clock: "fell", Old: IsMonotonic, New: OneCPU, NewFaults: []string{FaultWarp}, Changed: true},
			{Clock: "other fault", Old: Faulty, New: Faulty, OldFaults: []string{FaultStall}, NewFaults: []string{FaultJump}, Changed: true},
		},
		Relations: []RelationChange{{"a", "b", true, false}, {"b", "a", true, true}},
	}, changes)
	require.True(t, changes.Relations[0].Changed())
	require.False(t, changes.Relations[1].Changed())
	require.Len(t, all.Changes, 5)
	require.Equal(t, 3, all.Changed())
	require.Equal(t, []section.Setting{{What: "CPUs verified on", Old: "2", New: "1"}, {What: "Verified under load", Old: "false", New: "true"}}, all.Settings)
}
