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

// Too few machines with a clock source for quartiles, and too many to be odd by it: none is odd for its costs. In a group of
// four no machine is odd, nor in a group of two kinds, nor by clock sources that are all rare, or that one machine reports.
func TestSomeOfAnotherClockSource(t *testing.T) {
	for name, c := range map[string]struct {
		machines, others, odd int
		source                func(i int) string
	}{
		"one of four": {machines: 4, others: 1}, "half": {machines: 40, others: 20},
		"four of eighteen": {machines: 18, others: 4}, "two of nine": {machines: 9, others: 2},
		"two of twenty": {machines: 20, others: 2, odd: 2},
		"all rare":      {machines: 10, source: func(i int) string { return strings.Repeat("source", i) }},
		"only one":      {machines: 10, source: func(i int) string { return map[int]string{4: "tsc"}[i] }},
	} {
		all := many(c.machines)
		for i := range all {
			if c.source != nil {
				all[i].ClockSource = c.source(i)
			} else if i < c.others {
				all[i].ClockSource, all[i].Clocks[0].QuietNS = "another", 1400
			}
		}
		g := Groups(all)[0]
		require.Equal(t, c.machines < enough, g.TooFew, name)
		kinds := kindsOf(g)
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
