package fleet

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/picture"
)

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
