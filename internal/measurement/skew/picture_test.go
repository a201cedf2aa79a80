package skew

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
)

// twoClocks returns a document of two clocks on this number of CPUs.
func twoClocks(cpus int) *result.Document {
	s := &Skew{DurationNS: 1e9}
	for _, id := range []string{"RDTSC@cpu", "CLOCK_MONOTONIC@vdso"} {
		c := SkewedClock{ID: id, TicksPerSecond: 2.6e9}
		for a := range cpus {
			for b := a + 1; b < cpus && (a == 0 || cpus <= MatrixCPUs); b++ {
				c.Pairs = append(c.Pairs, CPUPair{CPU: a, OtherCPU: b, BoundNS: 50, RoundTripNS: 100, Rounds: 1e5})
			}
		}
		s.Clocks = append(s.Clocks, c)
	}
	return &result.Document{Sections: []result.Section{s}}
}

func TestPanelsOfASkew(t *testing.T) {
	require.Len(t, panelsOf(twoClocks(4)), 2)
	require.Len(t, panelsOf(twoClocks(17))[0].pairs, 16)

	d := twoClocks(4)
	for i := range 5 {
		Of(d).Clocks = append(Of(d).Clocks, SkewedClock{ID: fmt.Sprint("clock", i), Pairs: Of(d).Clocks[0].Pairs})
	}
	require.Len(t, panelsOf(d), mostPanels)
	Of(d).Clocks = []SkewedClock{{ID: "none"}, {ID: "itself", Pairs: []CPUPair{{CPU: 1, OtherCPU: 1}}}}
	require.Empty(t, panelsOf(d))
	Of(d).Clocks[1].Pairs = []CPUPair{{CPU: 1, OtherCPU: 2}, {CPU: 2, OtherCPU: 1}, {CPU: 1, OtherCPU: 3}}
	require.Len(t, panelsOf(d)[0].pairs, 2, "a pair is drawn once")
}

// A strip names both CPUs of a pair if the first CPUs of the pairs differ.
func TestStripNamesThePairs(t *testing.T) {
	labels := func(pairs ...CPUPair) (all []string) {
		for _, tick := range pairTicks(pairs).Ticks(0, 0) {
			all = append(all, tick.Label)
		}
		return all
	}
	require.Equal(t, []string{"1", "2"}, labels(CPUPair{OtherCPU: 1}, CPUPair{OtherCPU: 2}))
	require.Equal(t, []string{"0, 1", "1, 2"}, labels(CPUPair{OtherCPU: 1}, CPUPair{CPU: 1, OtherCPU: 2}))
}
