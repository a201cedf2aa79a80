package diff

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/result"
)

func TestVerdictsOfClocksAreCompared(t *testing.T) {
	old, new := document(), document()
	warp := []result.ClockFault{{Kind: result.FaultWarp, Count: 17}}
	old.Verification = &result.Verification{CPUs: []int{0, 1}, Clocks: []result.VerifiedClock{
		{ID: "held", Verdict: result.IsMonotonic, Reads: 5}, {ID: "fell", Verdict: result.IsMonotonic},
		{ID: "other fault", Verdict: result.Faulty, Faults: []result.ClockFault{{Kind: result.FaultStall, Count: 1}}}, {ID: "gone", Verdict: result.IsMonotonic},
	}, Relations: []result.Relation{{Clock: "a", Against: "b", Held: true}, {Clock: "b", Against: "a", Held: true}, {Clock: "c", Against: "a", Held: true}}}
	new.Verification = &result.Verification{CPUs: []int{0}, Load: true, Clocks: []result.VerifiedClock{
		{ID: "other fault", Verdict: result.Faulty, Faults: []result.ClockFault{{Kind: result.FaultJump, Count: 1}}}, {ID: "fresh", Verdict: result.IsMonotonic},
		{ID: "fell", Verdict: result.OneCPU, Faults: warp}, {ID: "held", Verdict: result.IsMonotonic, Reads: 7},
	}, Relations: []result.Relation{{Clock: "a", Against: "b"}, {Clock: "b", Against: "a", Held: true}}}
	d := compare(old, new, usual)
	require.Equal(t, &Verification{
		Coverage: Coverage{OnlyOld: []string{"gone"}, OnlyNew: []string{"fresh"}},
		Verdicts: []VerdictChange{
			{Clock: "held", Old: result.IsMonotonic, New: result.IsMonotonic},
			{Clock: "fell", Old: result.IsMonotonic, New: result.OneCPU, NewFaults: []string{result.FaultWarp}, Changed: true},
			{Clock: "other fault", Old: result.Faulty, New: result.Faulty, OldFaults: []string{result.FaultStall}, NewFaults: []string{result.FaultJump}, Changed: true},
		},
		Relations: []RelationChange{{"a", "b", true, false}, {"b", "a", true, true}},
	}, d.Verification)
	require.True(t, d.Verification.Relations[0].Changed())
	require.False(t, d.Verification.Relations[1].Changed())
	require.Equal(t, 5, d.PartsCompared())
	require.Zero(t, d.Comparisons)
	require.Equal(t, []Difference{{"CPUs verified on", "2", "1"}, {"Verified under load", "false", "true"}}, d.Setup)
}

func TestWorstOffsetChangedBeyondBothBounds(t *testing.T) {
	pair := func(cpu int, offset, bound float64) result.CPUPair {
		return result.CPUPair{OtherCPU: cpu, OffsetNS: offset, BoundNS: bound}
	}
	for _, test := range []struct {
		name     string
		old, new []result.CPUPair
		want     bool
	}{
		{"the same", []result.CPUPair{pair(1, 5, 60)}, []result.CPUPair{pair(1, 5, 60)}, false},
		{"within the bounds", []result.CPUPair{pair(1, 0, 60)}, []result.CPUPair{pair(1, 119, 60)}, false},
		{"beyond them", []result.CPUPair{pair(1, 0, 60)}, []result.CPUPair{pair(1, -121, 60)}, true},
		{"mended", []result.CPUPair{pair(1, 500, 60)}, []result.CPUPair{pair(1, 5, 60)}, true},
		{"of another sign", []result.CPUPair{pair(1, 100, 60)}, []result.CPUPair{pair(1, -100, 60)}, true},
		{"another pair, as far apart", []result.CPUPair{pair(1, 100, 10), pair(2, 0, 10)}, []result.CPUPair{pair(1, 0, 10), pair(2, -100, 10)}, false},
		{"a CPU that the old machine has not", []result.CPUPair{pair(1, 0, 60)}, []result.CPUPair{pair(1, 0, 60), pair(9, 1e6, 60)}, true},
		{"a wide bound is no offset", []result.CPUPair{pair(1, 0, 60)}, []result.CPUPair{pair(1, 0, 60), pair(9, 150, 400)}, false},
	} {
		old, new := document(), document()
		old.Skew = &result.Skew{Clocks: []result.SkewedClock{{ID: "c", Pairs: test.old}, {ID: "none"}}}
		new.Skew = &result.Skew{Clocks: []result.SkewedClock{{ID: "c", Pairs: test.new}, {ID: "none", Pairs: test.new}}}
		d := compare(old, new, usual)
		require.Len(t, d.Skew.Offsets, 1)
		require.Equal(t, test.want, d.Skew.Offsets[0].Changed, "%s: %+v", test.name, d.Skew.Offsets[0])
		require.Equal(t, []string{"none"}, d.Skew.OnlyNew)
		require.Equal(t, test.want, compare(new, old, usual).Skew.Offsets[0].Changed, "%s, the other way round", test.name)
	}
}

func TestRatesChangedWhereIntervalsDoNotOverlap(t *testing.T) {
	rate := func(ppm, interval float64) *result.DriftRate {
		return &result.DriftRate{PPM: &ppm, Hz: 1e9 * (1 + ppm/1e6), IntervalPPM: interval}
	}
	unstated := func(hz, interval float64) *result.DriftRate { return &result.DriftRate{Hz: hz, IntervalPPM: interval} }
	old, new := document(), document()
	old.Drift = &result.Drift{Reference: "r", Clocks: []result.DriftedClock{
		{ID: "same", NominalHz: 1e9, Asleep: rate(5, 0.2), Loaded: rate(5, 0.2)},
		{ID: "loaded", NominalHz: 1e9, Asleep: rate(5, 0.2), Loaded: rate(5, 0.2)},
		{ID: "unstated", Asleep: unstated(24e6, 0.2), Loaded: unstated(0, 0.2)},
		{ID: "once", Asleep: rate(5, 0.2)}, {ID: "unread"},
	}}
	new.Drift = &result.Drift{Reference: "r", Clocks: []result.DriftedClock{
		{ID: "same", NominalHz: 1e9, Asleep: rate(5.3, 0.2), Loaded: rate(4.7, 0.2)},
		{ID: "loaded", NominalHz: 1e9 + 1, Asleep: rate(5, 0.2), Loaded: rate(5.5, 0.2)},
		{ID: "unstated", Asleep: unstated(24.000024e6, 0.2), Loaded: unstated(1, 0.2)},
		{ID: "once", Loaded: rate(5, 0.2)}, {ID: "unread"},
	}}
	d := compare(old, new, usual)
	require.Empty(t, d.Drift.OnlyOld)
	require.Len(t, d.Drift.Rates, 5)
	var changed []string
	for _, r := range d.Drift.Rates {
		if r.Changed {
			changed = append(changed, r.Clock+" "+r.Phase)
		}
		require.Equal(t, r.Clock != "loaded", r.SameNominal)
		require.Equal(t, r.Clock != "unstated", r.Stated)
	}
	require.Equal(t, []string{"loaded loaded", "unstated asleep"}, changed)
	require.InDelta(t, 1, d.Drift.Rates[4].NewPPM, 1e-6)

	new.Drift.Reference = "another"
	d = compare(old, new, usual)
	require.Empty(t, d.Drift.Rates)
	require.Empty(t, d.Drift.OnlyOld)
	require.Equal(t, []string{"r", "another"}, []string{d.Drift.OldReference, d.Drift.NewReference})
}

func TestPartsThatOneDocumentLacks(t *testing.T) {
	full := document()
	full.Verification, full.Skew, full.Drift = &result.Verification{}, &result.Skew{}, &result.Drift{}
	neither := compare(document(), document(), usual)
	require.Nil(t, neither.Verification)
	require.Nil(t, neither.Skew)
	require.Nil(t, neither.Drift)
	for want, d := range map[string]*Diff{InOld: compare(full, document(), usual), InNew: compare(document(), full, usual), "": compare(full, full, usual)} {
		require.Equal(t, want, d.Verification.OnlyIn)
		require.Equal(t, want, d.Skew.OnlyIn)
		require.Equal(t, want, d.Drift.OnlyIn)
		require.Zero(t, d.PartsCompared())
		text, err := json.Marshal(d)
		require.NoError(t, err)
		require.NotContains(t, string(text), "null", "an empty list is one")
	}
}
