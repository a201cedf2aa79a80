package verify

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/table"
)

// The verdict counts the clocks that passed and the others. It is green only if every available clock passed.
func TestVerdictCountsClocks(t *testing.T) {
	held := VerifiedClock{ID: "a", Verdict: IsMonotonic}
	wrong := VerifiedClock{ID: "b", Verdict: Faulty, Faults: []ClockFault{{Kind: FaultStall, Count: 1}}}
	not := VerifiedClock{ID: "c", Verdict: Unverified}
	single := VerifiedClock{ID: "d", Verdict: NotCompared}
	absent := VerifiedClock{ID: "e", Verdict: Unverified, Reason: "there is none"}
	for _, test := range []struct {
		want   string
		level  table.Level
		clocks []VerifiedClock
	}{
		{"No clock was verified.", table.Warn, nil},
		{"No clock was verified.", table.Warn, []VerifiedClock{not}},
		{"The clock passed.", table.OK, []VerifiedClock{held}},
		{"Both clocks passed.", table.OK, []VerifiedClock{held, held}},
		{"2 of 3 clocks passed; 1 could not be verified.", table.Warn, []VerifiedClock{held, held, not}},
		{"1 of 2 clocks passed; 1 could not be verified. 1 clock could be verified on one CPU only.", table.Warn,
			[]VerifiedClock{single, not}},
		{"1 of 3 clocks failed: b. 1 clock could not be verified.", table.Error, []VerifiedClock{held, wrong, not}},
		{"Both clocks passed. 1 clock could be verified on one CPU only.", table.OK, []VerifiedClock{held, single}},
		{"Both clocks passed. 1 clock is not available here.", table.OK, []VerifiedClock{held, held, absent}},
		{"2 of 3 clocks passed; 1 could not be verified. 1 clock is not available here.", table.Warn,
			[]VerifiedClock{held, held, not, absent}},
		{"No clock was verified; e: there is none.", table.Warn, []VerifiedClock{absent}},
		{"The clock failed: b.", table.Error, []VerifiedClock{wrong}},
		{"1 of 2 clocks failed: b.", table.Error, []VerifiedClock{held, wrong}},
	} {
		d := &result.Document{
			Sections: []result.Section{&compare.Costs{Clocks: []compare.Clock{{ID: "c", Available: true}, {ID: "e"}}},
				&Verification{Clocks: test.clocks}},
		}
		block := Of(d).Block(d)
		require.Equal(t, test.want, block.Verdict)
		require.Equal(t, test.level, block.Level, test.want)
		require.Equal(t, test.level != table.Error, Of(d).Held())
	}
}

// On every machine, the verdict has the size of the smallest detectable warp, and the largest of fine clocks if it is
// wide.
func TestVerdictHasTheSmallestDetectableWarp(t *testing.T) {
	with := func(id string, seesNS float64, pairs int) VerifiedClock {
		return VerifiedClock{ID: id, Verdict: IsMonotonic,
			Across: &Across{Checks: 1000, Pairs: pairs, SmallestWarpNS: seesNS}}
	}
	fine, b := with("CLOCK_MONOTONIC@vdso", 55, 2), with("b", 58500, 2)
	coarse, wide := with("time@vdso", 1e9, 2), with("RDTSC@cpu", 7.17e6, 2)
	for _, c := range []*VerifiedClock{&coarse, &b} {
		c.Reads, c.Repeats = 1000, 999
	}
	alone := VerifiedClock{ID: "a", Verdict: NotCompared}
	warped := with("hpet@mmio", 0, 2)
	warped.Verdict, warped.Faults = OneCPU, []ClockFault{{Kind: FaultWarp, Count: 1}}
	for _, test := range []struct {
		want   string
		clocks []VerifiedClock
	}{
		{"Both clocks passed. The smallest detectable warp was 55 ns (CLOCK_MONOTONIC@vdso).", []VerifiedClock{b, fine}},
		{"Both clocks passed. The smallest detectable warp was 55 ns (CLOCK_MONOTONIC@vdso).", []VerifiedClock{coarse, fine}},
		{"All 3 clocks passed. The smallest detectable warp was 55 ns (CLOCK_MONOTONIC@vdso) to 7.17 ms (RDTSC@cpu); use a longer --duration.",
			[]VerifiedClock{wide, fine, coarse}},
		{"Both clocks passed. The smallest detectable warp was 55 ns (CLOCK_MONOTONIC@vdso). Only 1 of 2 comparisons of one CPU with another were made; use a longer --duration.", []VerifiedClock{fine, with("b", 0, 1)}},
		{"1 of 2 clocks failed: hpet@mmio. The smallest detectable warp was 58.5 µs (b).", []VerifiedClock{warped, b}},
		{"Both clocks passed. For 2 clocks not all CPUs were compared with each other; use a longer --duration.",
			[]VerifiedClock{alone, alone}},
	} {
		v := &Verification{CPUs: []int{0, 1, 5}, LostCPUs: []int{5}, Clocks: test.clocks}
		require.Equal(t, test.want, v.Block(&result.Document{}).Verdict)
	}
}

// The verdict on a clock has the size of its worst fault; a step backwards is worse than a larger stop.
func TestVerdictHasTheWorstFault(t *testing.T) {
	one, two := 1, 2
	warp := ClockFault{Kind: FaultWarp, Count: 17, WorstNS: 243, CPU: &one, EarlierCPU: &two}
	stall := ClockFault{Kind: FaultStall, Count: 2, WorstNS: 3.2e9, CPU: &one}
	resolution := ClockFault{Kind: FaultResolution, Count: 1, WorstNS: 4e6}
	fast := ClockFault{Kind: FaultFast, Count: 1, PPM: 1_499_998, CPU: &one}
	failed := ClockFault{Kind: FaultFailed, Count: 1200, WorstNS: 1e9, Text: "no such device"}
	for want, c := range map[string]VerifiedClock{
		"monotonic":                  {Verdict: IsMonotonic},
		"not verified":               {Verdict: Unverified, Faults: []ClockFault{failed}},
		"failed 1,200×":              {Verdict: Faulty, Faults: []ClockFault{failed}},
		"reports another resolution": {Verdict: Faulty, Faults: []ClockFault{resolution}},
		"runs fast, by 150 %":        {Verdict: Faulty, Faults: []ClockFault{fast}},
		"went backwards 3×, 1.5 ms":  {Verdict: Backwards, Faults: []ClockFault{warp, {Kind: FaultBackwards, Count: 3, WorstNS: 1.5e6}}},
		"stopped 2×, 3.2 s":          {Verdict: Faulty, Faults: []ClockFault{resolution, stall, {Kind: FaultJump, Count: 1, WorstNS: 1e6}}},
		"monotonic on one CPU only: 17 warps, 243 ns, CPU 2→1": {Verdict: OneCPU, Faults: []ClockFault{stall, warp}},
	} {
		require.Equal(t, want, verdict(c))
		if c.Verdict != Faulty { // the table agrees with JSON and CSV
			require.True(t, strings.HasPrefix(want, c.Verdict), want)
		}
	}
	require.Equal(t, "ptp0@syscall runs fast against RDTSC@cpu, by 150 %; seen on CPU 1.",
		FaultSentence(VerifiedClock{ID: "ptp0@syscall", Witness: "RDTSC@cpu"}, fast))
}

// The verdict does not say that all is well if clocks were compared in part, or with a sensitivity that hides
// microseconds.
func TestMissing(t *testing.T) {
	with := func(verdict, reason string, pairs int, seesNS float64) VerifiedClock {
		return VerifiedClock{ID: "a", Verdict: verdict, Reason: reason,
			Across: &Across{Pairs: pairs, SmallestWarpNS: seesNS}}
	}
	const part = "1 of 12 comparisons of one CPU with another were made; use a longer --duration"
	fine, wide := with(IsMonotonic, "", 12, 105), with(IsMonotonic, "", 12, 4e6)
	faulty := with(OneCPU, part, 1, 0)
	faulty.Faults = []ClockFault{{Kind: FaultWarp, Count: 1}}
	for _, test := range []struct {
		clocks []VerifiedClock
		want   string
	}{
		{[]VerifiedClock{fine}, ""},
		{[]VerifiedClock{wide, fine}, ""},
		{[]VerifiedClock{fine, with(IsMonotonic, part, 1, 0)}, "a: " + part},
		{[]VerifiedClock{wide}, "only differences from 4 ms on would have been seen"},
		{[]VerifiedClock{wide, with(NotCompared, "", 0, 0)},
			"a: the CPUs were not compared; only differences from 4 ms on would have been seen"},
		{[]VerifiedClock{fine, faulty}, ""},
	} {
		require.Equal(t, test.want, (&Verification{CPUs: []int{0, 1, 2, 3}, Clocks: test.clocks}).Missing())
	}
	require.Empty(t, (&Verification{CPUs: []int{0}, Clocks: []VerifiedClock{{ID: "a", Verdict: NotCompared}}}).Missing())
}
