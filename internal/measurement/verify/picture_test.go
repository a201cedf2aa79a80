package verify

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/show/picture"
)

// A new kind of row is a case.
func TestRowsOfAVerificationTellTheVerdict(t *testing.T) {
	clock := func(verdict string, across *Across, faults ...ClockFault) VerifiedClock {
		return VerifiedClock{Verdict: verdict, Across: across, Faults: faults}
	}
	whole, part := &Across{Pairs: 2, SmallestWarpNS: 49}, &Across{Pairs: 1}
	warp := ClockFault{Kind: FaultWarp, Count: 17, WorstNS: 243}
	for want, c := range map[string]struct {
		clock VerifiedClock
		look  picture.Look
	}{
		"monotonic, to 49 ns": {clock(IsMonotonic, whole), held},
		"went backwards 1×, 1.5 ms, and 1 more": {clock(Backwards, part,
			ClockFault{Kind: FaultBackwards, Count: 1, WorstNS: 1.5e6}, warp), picture.Failed},
		"went backwards between CPUs 17×, 243 ns": {clock(OneCPU, part, warp), picture.Failed},
		"reports another resolution": {clock(Faulty, whole, ClockFault{Kind: FaultResolution, Count: 1}),
			picture.Failed},
		"monotonic on each thread":               {clock(IsMonotonic, nil), alone},
		"monotonic as far as CPUs were compared": {clock(IsMonotonic, part), alone},
		"on one CPU only":                        {clock(OneCPU, part), alone},
		Unverified:                               {clock(Unverified, nil), unasked},
	} {
		require.Equal(t, c.look, lookOfClock(c.clock), want)
		require.Equal(t, want, verdictWords(c.clock))
	}
	for _, kind := range ClockFaults {
		require.NotEmpty(t, faultWords[kind].short, kind)
	}
}
