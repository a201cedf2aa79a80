package verify

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/compare"
	"github.com/timebench/timebench/internal/result"
)

func TestVerdictIsWordedForPeople(t *testing.T) {
	one, two, three := 1, 2, 3
	verdicts := map[string]string{}
	for _, c := range []VerifiedClock{
		{ID: "CLOCK_MONOTONIC@vdso", Verdict: OneCPU, Faults: []ClockFault{{Kind: FaultWarp, Count: 17, WorstNS: 243, CPU: &one, EarlierCPU: &two}}},
		{ID: "RDTSC@cpu", Verdict: Backwards, Faults: []ClockFault{
			{Kind: FaultBackwards, Count: 1, WorstNS: 1_500_000, CPU: &three}, {Kind: FaultWarp, Count: 12345, WorstNS: 2_500_000, CPU: &one, EarlierCPU: &three}}},
		{ID: "CLOCK_REALTIME@vdso", Verdict: Faulty, Faults: []ClockFault{{Kind: FaultStall, Count: 2, WorstNS: 3.2e9, CPU: &one}, {Kind: FaultJump, Count: 1, WorstNS: 4.1e6}}},
		{ID: "hpet@mmio", Verdict: Faulty, Faults: []ClockFault{{Kind: FaultFailed, Count: 1, Text: "no such device", CPU: &one}}},
		{ID: "CLOCK_THREAD_CPUTIME_ID@vdso", Verdict: IsMonotonic},
	} {
		verdicts[c.ID] = verdict(c)
	}
	require.Equal(t, "monotonic on one CPU only; went backwards 17 times, worst 243 ns, between CPU 2 and 1", verdicts["CLOCK_MONOTONIC@vdso"])
	require.Equal(t, "went backwards once, worst 1.5 ms; went backwards 12,345 times, worst 2.5 ms, between CPU 3 and 1", verdicts["RDTSC@cpu"])
	require.Equal(t, "stopped 2 times, worst 3.2 s; jumped once, worst 4.1 ms", verdicts["CLOCK_REALTIME@vdso"])
	require.Equal(t, "failed once", verdicts["hpet@mmio"])
	require.Equal(t, "monotonic", verdicts["CLOCK_THREAD_CPUTIME_ID@vdso"])
}

func TestTrustSaysTheWhole(t *testing.T) {
	held := VerifiedClock{ID: "a", Verdict: IsMonotonic}
	wrong := VerifiedClock{ID: "b", Verdict: Faulty, Faults: []ClockFault{{Kind: FaultStall, Count: 1}}}
	not := VerifiedClock{ID: "c", Verdict: Unverified}
	single := VerifiedClock{ID: "d", Verdict: OneCPU}
	absent := VerifiedClock{ID: "e", Verdict: Unverified, Reason: "there is none"}
	for _, test := range []struct {
		want   string
		clocks []VerifiedClock
	}{
		{"No clock was verified.", nil},
		{"No clock was verified.", []VerifiedClock{not}},
		{"The clock held.", []VerifiedClock{held}},
		{"Both clocks held.", []VerifiedClock{held, held}},
		{"2 of 3 clocks held; 1 could not be verified.", []VerifiedClock{held, held, not}},
		{"1 of 2 clocks held; 1 could not be verified. 1 clock could be verified on one CPU only.", []VerifiedClock{single, not}},
		{"1 of 3 clocks cannot be trusted: b. 1 clock could not be verified.", []VerifiedClock{held, wrong, not}},
		{"Both clocks held. 1 clock could be verified on one CPU only.", []VerifiedClock{held, single}},
		{"Both clocks held. 1 clock is not available here.", []VerifiedClock{held, held, absent}},
		{"2 of 3 clocks held; 1 could not be verified. 1 clock is not available here.", []VerifiedClock{held, held, not, absent}},
		{"No clock was verified.", []VerifiedClock{absent}},
		{"The clock cannot be trusted: b.", []VerifiedClock{wrong}},
		{"1 of 2 clocks cannot be trusted: b.", []VerifiedClock{held, wrong}},
	} {
		d := &result.Document{
			Sections: []result.Section{&compare.Costs{Clocks: []compare.Clock{{ID: "c", Available: true}, {ID: "e"}}}, &Verification{Clocks: test.clocks}},
		}
		require.Equal(t, test.want, trust(Of(d), d))
		require.Equal(t, !strings.Contains(test.want, "cannot"), Of(d).Held())
	}
	d := &result.Document{Interrupted: true, Sections: []result.Section{&Verification{Clocks: []VerifiedClock{held, held}, Relations: []Relation{{Held: true}, {Steady: true}}}}}
	require.Equal(t, "Interrupted; up to then: Both clocks held. 1 relation did not hold.", trust(Of(d), d))
}
