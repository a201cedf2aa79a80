package skew

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
)

// star returns a clock whose CPUs were compared with the first only.
func star(id string, cpus int) SkewedClock {
	c := SkewedClock{ID: id, TicksPerSecond: 2596122000}
	for other := 1; other < cpus; other++ {
		trip := 90 + float64(other%48)*5
		c.Pairs = append(c.Pairs, CPUPair{CPU: 0, OtherCPU: other,
			OffsetNS: math.Round(36*math.Sin(float64(other)))/4 - 2, BoundNS: trip / 2, RoundTripNS: trip,
			Rounds: 10_000})
	}
	return c
}

// A coarse clock may have the same value before and after a round trip: that is not the
// latency of a message.
func TestCoarseClockIsNoStopwatchOfMessages(t *testing.T) {
	coarse := SkewedClock{ID: "CLOCK_MONOTONIC_COARSE@vdso", TicksPerSecond: 1e9,
		Pairs: []CPUPair{{OtherCPU: 1, BoundNS: 4e6, Rounds: 10}}}
	tick := SkewedClock{ID: "gettimeofday@vdso", TicksPerSecond: 1e6,
		Pairs: []CPUPair{{OtherCPU: 1, RoundTripNS: 1000, BoundNS: 1500, Rounds: 10}}}
	fine := SkewedClock{ID: "RDTSC@cpu", TicksPerSecond: 1e9,
		Pairs: []CPUPair{{OtherCPU: 1, RoundTripNS: 150, BoundNS: 76, Rounds: 10}}}
	require.Equal(t, "≤ 4 ms", roundTrip(coarse.Pairs[0]))
	require.Equal(t, "≤ 2 µs", roundTrip(tick.Pairs[0]))
	require.Equal(t, "150 ns", roundTrip(fine.Pairs[0]))
}

// Of many CPUs, the table lists the worst few; the CSV has all of them.
func TestSkewOfManyCPUsIsShort(t *testing.T) {
	c := star("RDTSC@cpu", 192)
	c.Pairs[96].OffsetNS = 1_250_000
	g := pairGrid(&c)
	require.Len(t, g.Rows, mostListed)
	require.Subset(t, g.Rows[0], []string{"0", "97", "1.25 ms ± 47.5 ns"})
	require.Contains(t, g.Title, "the worst 16 of 191 pairs")
	require.Equal(t, "RDTSC@cpu: 1 of 191 pairs is beyond the error bound: CPU 97 is ahead of CPU 0 by 1.25 ms ± 47.5 ns.", (&Skew{Clocks: []SkewedClock{c}}).Block(nil).Faults[0])
	require.Len(t, (&Skew{Clocks: []SkewedClock{c}}).Lines(nil), 1+191)
}

// If nothing was compared, the first line has the reason.
func TestVerdictWithoutPairs(t *testing.T) {
	s := &Skew{CPUs: []int{0, 1}, Clocks: []SkewedClock{{ID: "a", Reason: "it counts CPU time"}}}
	require.Equal(t, "No clock could be compared between CPUs; a: it counts CPU time.", s.Block(&result.Document{}).Verdict)
}

// A verdict on a part of the pairs says so, and says why the others are missing.
func TestMissingPairsAreInTheVerdict(t *testing.T) {
	const few, gone = "too few round trips in 10 ms; use a longer --duration", "CPU 63 went offline"
	s := &Skew{Clocks: []SkewedClock{star("CLOCK_MONOTONIC@vdso", 64)}}
	for cpu := range 64 {
		s.CPUs = append(s.CPUs, cpu)
	}
	c := &s.Clocks[0]
	whole := s.Block(&result.Document{})
	require.Regexp(t, `^No CPU differs from the first by more than [\d.]+ ns \(63 pairs of CPUs, 1 clock\)\.$`,
		whole.Verdict)
	for _, p := range c.Pairs[7:62] {
		c.MissingPairs = append(c.MissingPairs, MissingPair{CPU: 0, OtherCPU: p.OtherCPU, Reason: few})
	}
	c.MissingPairs = append(c.MissingPairs, MissingPair{CPU: 0, OtherCPU: 63, Reason: gone})
	c.Pairs, c.Reason = c.Pairs[:7], gone

	block := s.Block(&result.Document{})
	require.Regexp(t, `^No CPU differs from the first by more than [\d.]+ ns in 7 of 63 pairs of CPUs \(1 clock\)\. The others were not measured\.$`, block.Verdict)
	require.Contains(t, block.Notes, "CLOCK_MONOTONIC@vdso: 55 pairs are missing: "+few)
	require.Contains(t, block.Notes, "CLOCK_MONOTONIC@vdso: 1 pair is missing: "+gone)
	lines := s.Lines(nil)
	require.Len(t, lines, 1+63)
	require.Equal(t, []string{"CLOCK_MONOTONIC@vdso", "0", "63", "", "", "", "", "", gone}, lines[63])

	// Another clock has all pairs.
	s.Clocks = append(s.Clocks, star("RDTSC@cpu", 64))
	require.Contains(t, s.Block(&result.Document{}).Verdict,
		"in 7 of 63 pairs of CPUs (2 clocks). The others were not measured by every clock.")
	s.Clocks = s.Clocks[:1]
	s.Clocks[0].Pairs[3].OffsetNS = 1e6
	block = s.Block(&result.Document{})
	require.Equal(t, "CPUs differ by more than the error bound: CLOCK_MONOTONIC@vdso. Only 7 of 63 pairs of CPUs were measured.", block.Verdict)
	require.Contains(t, block.Faults[0], "Only 7 of 63 pairs were measured.")
}

// Pairs of CPUs and clocks are counted apart. Add a row for another way in which a clock has no pairs.
func TestVerdictCountsPairsOfCPUs(t *testing.T) {
	one, other := star("RDTSC@cpu", 2), star("CLOCK_MONOTONIC@vdso", 2)
	other.Pairs[0].CPU, other.Pairs[0].OtherCPU = 1, 0 // the CPUs in the other order
	stuck, absent := SkewedClock{ID: "stuck", TicksPerSecond: 1e9, Reason: "stuck"},
		SkewedClock{ID: "absent", Reason: "absent"}
	for want, clocks := range map[string][]SkewedClock{
		"(1 pair of CPUs, 1 clock).":       {one},
		"(1 pair of CPUs, 2 clocks).":      {one, other, absent},
		"(1 pair of CPUs, 2 of 3 clocks).": {one, other, stuck},
	} {
		s := &Skew{CPUs: []int{0, 1}, Clocks: clocks}
		require.True(t, strings.HasSuffix(s.Block(&result.Document{}).Verdict, want),
			s.Block(&result.Document{}).Verdict)
	}
}

// The verdict does not say that all is well if CPUs were compared in part, or with bounds that hide microseconds.
func TestMissing(t *testing.T) {
	whole, part, wide, apart := star("a", 3), star("b", 3), star("c", 3), star("d", 3)
	part.Pairs, part.Reason = part.Pairs[:1], "the time limit ended the run; use a longer --duration"
	wide.Pairs[1].BoundNS = 4e6
	apart.Pairs[1].OffsetNS, apart.Pairs[1].BoundNS = 5e6, 4e6
	none := SkewedClock{ID: "e", Reason: "interrupted"}
	for _, s := range []*SkewedClock{&whole, &part, &wide, &apart, &none} {
		s.MissingPairs = make([]MissingPair, 2-len(s.Pairs))
	}
	for _, test := range []struct {
		clocks []SkewedClock
		want   string
	}{
		{nil, "no clock could be read"},
		{[]SkewedClock{part}, "1 of 2 pairs: the time limit ended the run; use a longer --duration"},
		{[]SkewedClock{none}, "interrupted"},
		{[]SkewedClock{wide, part}, "only differences from 4 ms on would have been seen"},
		{[]SkewedClock{part, wide, whole}, ""},
		{[]SkewedClock{apart}, ""},
	} {
		require.Equal(t, test.want, (&Skew{CPUs: []int{0}, Clocks: test.clocks}).Missing())
	}
}
