package fleet

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/picture"
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

// Too few machines with a clock source for quartiles, and too many to be odd by it: none is odd for its costs. In a
// group of four no machine is odd, nor in a group of two kinds, nor by clock sources that are all rare, or that one
// machine reports.
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

// A cost that changed while it was measured is not odd, nor is a clock that few machines timed, nor a cost among
// machines that all differ.
func TestUnsteadyAndRareCosts(t *testing.T) {
	all := many(10)
	all[5].Clocks = append(all[5].Clocks, Cost{Clock: "CLOCK_PROCESS_CPUTIME_ID@vdso", MedianNS: 500, QuietNS: 500,
		KernelEntry: result.Always})
	all[3].Clocks[0].QuietNS = 900
	require.Equal(t, map[string][]string{"k-tsc-3": {OddCost}}, kindsOf(Groups(all)...))
	all[3].Clocks[0].Unsteady = true
	require.Empty(t, kindsOf(Groups(all)...))
	require.Empty(t, kindsOf(Groups(machines("k", "tsc", 10, 12, 14, 16, 18, 20, 22, 24, 26, 28))...), "all differ")
}

// machines returns machines of a kernel, with the costs of a clock.
func machines(kernel, source string, costs ...float64) (all []Machine) {
	for i, ns := range costs {
		all = append(all, Machine{
			Name: fmt.Sprintf("%s-%s-%d", kernel, source, i), ClockSource: source,
			alike:  Alike{CPU: "a CPU", Kernel: kernel, Version: "1"},
			Clocks: []Cost{{Clock: "c", MedianNS: ns, QuietNS: ns}},
		})
	}
	return all
}

func TestLegendOfThePicture(t *testing.T) {
	all := machines("new", "tsc", slices.Repeat([]float64{20}, 12)...)
	f := Of(append(all, machines("old", "tsc", 24, 24)...), nil, time.Time{})
	rows := rowsOf(f)
	require.Len(t, rows, 1)
	require.Len(t, rows[0].dots, 2, "a lane for each group")
	require.Len(t, rows[0].dots[1], 2)
	entries := f.legend(picture.Width)
	require.Len(t, entries, 2)
	require.Equal(t, "12 machines: new", entries[0].Name, "all have the same CPU and version")
	require.Equal(t, "2 machines: old", entries[1].Name)
	require.Equal(t, "3 machines: a CPU, new, timebench 1", Of(all[:3], nil, time.Time{}).legend(picture.Width)[0].Name)
}

// A picture names each odd machine, and of a small group each with an error; of a large fleet the first.
func TestOddMachinesHaveALineInThePicture(t *testing.T) {
	all := machines("new", "tsc", slices.Repeat([]float64{20}, 40)...)
	small := machines("old", "tsc", 24, 24)
	small[1].Findings = []Finding{{"kernel-entry", result.Error, "reads enter the kernel"}}
	few := Of(slices.Concat(all, machines("new", "hpet", 1400, 1400), small), nil, time.Time{})
	require.Equal(t, []string{"new-hpet-0: The clock source is hpet; 40 of 42 have tsc.",
		"new-hpet-1: The clock source is hpet; 40 of 42 have tsc.",
		"old-tsc-1: Doctor finds kernel-entry (error): reads enter the kernel."}, few.lines())
	require.Less(t, drawing{Of(all, nil, time.Time{})}.Height(picture.Width), drawing{few}.Height(picture.Width))

	many := Of(append(machines("new", "tsc", slices.Repeat([]float64{20}, 400)...),
		machines("new", "hpet", slices.Repeat([]float64{1400}, 30)...)...), nil, time.Time{})
	lines := many.lines()
	require.Len(t, lines, 21)
	require.Equal(t, "and 10 more", lines[20])
}

// A group with several clock sources has no odd machine: the first line shows the sources.
func TestMixedGroup(t *testing.T) {
	f := Of(append(machines("k", "hpet", 1400, 1400, 1410), machines("k", "tsc", 21, 22)...), nil, time.Time{})
	require.Equal(t, "None of 5 machines differs from its group, but a group has several clock sources: hpet 3, tsc 2.",
		f.Verdict())
}

// The smaller groups of many share a lane, and a row has not more marks than fit.
func TestMarksAndGroupsAreBounded(t *testing.T) {
	var all []Machine
	for i := range 9 {
		costs := make([]float64, 60)
		for k := range costs {
			costs[k] = 20 + float64(k)/100
		}
		all = append(all, machines(fmt.Sprint("kernel", i), "tsc", costs...)...)
	}
	f := Of(all, nil, time.Time{})
	dots := rowsOf(f)[0].dots
	require.Len(t, dots, len(looks))
	for _, of := range dots {
		require.Len(t, of, mostDots/len(looks))
		require.InDelta(t, 20, of[0].ns, 1e-9)
		require.InDelta(t, 20.59, of[len(of)-1].ns, 1e-9)
	}
	entries := f.legend(picture.Width)
	require.Len(t, entries, len(looks))
	require.Equal(t, "5 smaller groups", entries[len(entries)-1].Name)
}
