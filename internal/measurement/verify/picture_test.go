package verify

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/show/picture"
	"github.com/timebench/timebench/internal/show/words"
)

func TestRowsOfAVerificationTellTheVerdict(t *testing.T) {
	one, two := 1, 2
	across := func() *Across { return &Across{Checks: 1e6, Pairs: 2, SeesNS: 49} }
	for _, c := range []VerifiedClock{
		{ID: "CLOCK_BOOTTIME@vdso", Verdict: IsMonotonic, Across: across()},
		{ID: "RDTSC@cpu", Verdict: Backwards, Across: &Across{Pairs: 2}, Faults: []ClockFault{
			{Kind: FaultBackwards, Count: 1, WorstNS: 1.5e6, CPU: &one}, {Kind: FaultWarp, Count: 12345, WorstNS: 243, CPU: &one, EarlierCPU: &two}}},
		{ID: "CLOCK_MONOTONIC@vdso", Verdict: OneCPU, Across: &Across{Pairs: 2}, Faults: []ClockFault{{Kind: FaultWarp, Count: 17, WorstNS: 243, CPU: &one, EarlierCPU: &two}}},
		{ID: "CLOCK_REALTIME@vdso", Verdict: Faulty, Across: across(), Faults: []ClockFault{{Kind: FaultResolution, Count: 1}}},
		{ID: "CLOCK_THREAD_CPUTIME_ID@vdso", Verdict: IsMonotonic},
		{ID: "ptp0@syscall", Verdict: Unverified},
	} {
		want, named := held, ""
		if c.Across != nil {
			named = IsMonotonic + ", to " + words.Duration(c.Across.SeesNS)
		}
		switch c.ID {
		case "RDTSC@cpu":
			want, named = picture.Failed, "went backwards 1×, 1.5 ms, and 1 more"
		case "CLOCK_MONOTONIC@vdso":
			want, named = picture.Failed, "went backwards 17×, 243 ns"
		case "CLOCK_REALTIME@vdso":
			want, named = picture.Failed, "reports another resolution"
		case "CLOCK_THREAD_CPUTIME_ID@vdso":
			want, named = alone, "monotonic on each thread"
		case "ptp0@syscall":
			want, named = unasked, Unverified
		}
		require.Equal(t, want, lookOfClock(c), c.ID)
		require.Equal(t, named, verdictWords(c))
	}
	part := VerifiedClock{Verdict: IsMonotonic, Across: &Across{Pairs: 1}}
	require.Equal(t, alone, lookOfClock(part))
	require.Equal(t, "monotonic as far as CPUs were compared", verdictWords(part))
	for _, kind := range ClockFaults {
		require.NotEmpty(t, faultWords[kind].short, kind)
	}
}
