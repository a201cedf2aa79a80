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
		{ID: "other fault", Verdict: Faulty, Faults: []ClockFault{{Kind: FaultStall, Count: 1}}},
		{ID: "gone", Verdict: IsMonotonic},
	}}
	new := &Verification{CPUs: []int{0}, Load: true, Clocks: []VerifiedClock{
		{ID: "other fault", Verdict: Faulty, Faults: []ClockFault{{Kind: FaultJump, Count: 1}}},
		{ID: "fresh", Verdict: IsMonotonic},
		{ID: "fell", Verdict: OneCPU, Faults: warp}, {ID: "held", Verdict: IsMonotonic, Reads: 7},
	}}
	all := changesOf(old, new)
	change := func(clock, what, old, oldFaults, new, newFaults, verdict string) section.Change {
		return section.Change{Subject: clock, What: what, Old: section.Value{Value: old, Detail: oldFaults},
			New: section.Value{Value: new, Detail: newFaults}, Verdict: verdict}
	}
	require.Equal(t, &section.Changes{
		Coverage: section.Coverage{OnlyOld: []string{"gone"}, OnlyNew: []string{"fresh"}},
		Changes: []section.Change{
			change("held", "verdict", IsMonotonic, "", IsMonotonic, "", section.Same),
			change("fell", "verdict", IsMonotonic, "", OneCPU, FaultWarp, section.Changed),
			change("other fault", "verdict", Faulty, FaultStall, Faulty, FaultJump, section.Changed),
		},
	}, all.Value)
	figures, changed := all.Value.Count()
	require.Equal(t, []int{3, 2}, []int{figures, changed})
	require.Equal(t, []section.Difference{{What: "CPUs verified on", Old: "2", New: "1"},
		{What: "Verified under load", Old: "false", New: "true"}}, all.Settings)
}
