package fleet

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
)

// many returns n similar machines, whose costs of a clock differ by a percent.
func many(n int) []Machine {
	costs := make([]float64, n)
	for i := range costs {
		costs[i] = 21.7 + 0.02*float64(i*7%n)
	}
	return machines("k", "tsc", costs...)
}

// kindsOf returns the kinds of the reasons of each odd machine.
func kindsOf(groups ...Group) map[string][]string {
	kinds := map[string][]string{}
	for _, g := range groups {
		for _, m := range g.Machines {
			for _, r := range m.Reasons {
				kinds[m.Name] = append(kinds[m.Name], r.Kind)
			}
		}
	}
	return kinds
}

// Each way to be odd is named, and a finding on many machines is no reason. fleet_test.go has the noise.
func TestOddMachines(t *testing.T) {
	all := many(40)
	for i := range all {
		all[i].Clocks[0].KernelEntry = result.Never
		if i%3 == 0 {
			all[i].Findings = []Finding{{"unsynchronised", result.Warn, "the wall clock is not synchronised"}}
		}
	}
	all[3].ClockSource, all[3].Clocks = "hpet",
		[]Cost{{Clock: "c", MedianNS: 1450, QuietNS: 1400, KernelEntry: result.Always}}
	all[7].Clocks[0].QuietNS *= 1.6
	all[11].Clocks[0].KernelEntry = result.Sometimes
	all[15].Findings = append(all[15].Findings, Finding{"backwards", result.Error, "a clock went backwards"})
	require.Equal(t, map[string][]string{
		"k-tsc-3": {OddClockSource, OddKernelEntry, OddCost}, "k-tsc-7": {OddCost}, "k-tsc-11": {OddKernelEntry},
		"k-tsc-15": {OddFinding},
	}, kindsOf(Groups(all)...))
}

// In a group of four no machine is odd, nor in a group of two kinds.
func TestWhatIsNotOdd(t *testing.T) {
	few := many(4)
	few[0].ClockSource = "hpet"
	g := Groups(few)[0]
	require.True(t, g.TooFew)
	require.Empty(t, kindsOf(g))
	all := many(40)
	for i := range all {
		if i%2 == 0 {
			all[i].ClockSource, all[i].Clocks[0].QuietNS = "kvm-clock", 43
		}
	}
	g = Groups(all)[0]
	require.False(t, g.TooFew)
	require.Empty(t, kindsOf(g))
	require.Equal(t, []Count{{"kvm-clock", 20}, {"tsc", 20}}, g.ClockSources)
}

// Too few machines with a clock source for quartiles, and too many to be odd by it: none is odd for its costs.
func TestSomeOfAnotherClockSource(t *testing.T) {
	for name, c := range map[string]struct{ machines, others, odd int }{
		"four of eighteen": {machines: 18, others: 4}, "two of nine": {machines: 9, others: 2},
		"two of twenty": {machines: 20, others: 2, odd: 2},
	} {
		all := many(c.machines)
		for i := range c.others {
			all[i].ClockSource, all[i].Clocks[0].QuietNS = "another", 1400
		}
		kinds := kindsOf(Groups(all)[0])
		require.Len(t, kinds, c.odd, name)
		for _, of := range kinds {
			require.Contains(t, of, OddCost, name)
		}
	}
}

// A cost that changed while it was measured is not odd, nor is a clock that few machines timed.
func TestUnsteadyAndRareCosts(t *testing.T) {
	all := many(10)
	all[5].Clocks = append(all[5].Clocks, Cost{Clock: "CLOCK_PROCESS_CPUTIME_ID@vdso", MedianNS: 500, QuietNS: 500,
		KernelEntry: result.Always})
	all[3].Clocks[0].QuietNS = 900
	require.Equal(t, map[string][]string{"k-tsc-3": {OddCost}}, kindsOf(Groups(all)...))
	all[3].Clocks[0].Unsteady = true
	require.Empty(t, kindsOf(Groups(all)...))
}

// Clock sources make no machine odd if each is rare, or if only one machine reports a clock source.
func TestNoUsualClockSource(t *testing.T) {
	for _, source := range []string{"source", ""} {
		all := many(10)
		for i := range all {
			all[i].ClockSource = strings.Repeat(source, i)
		}
		all[4].ClockSource = "tsc"
		require.Empty(t, kindsOf(Groups(all)...))
	}
}
