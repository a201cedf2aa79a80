package fleet

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
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

// Machines with an odd cost are named beside the clock, with the clock source if it is unusual.
func TestOddMachinesAreNamedInThePicture(t *testing.T) {
	all := append(machines("new", "tsc", 20, 20, 20, 20, 20, 20, 20, 20, 20, 36),
		machines("new", "hpet", 1400, 1400)...)
	f := Of(append(all, machines("old", "tsc", 24, 24)...), nil, time.Time{})
	rows := rowsOf(f)
	require.Len(t, rows, 1)
	require.Equal(t, "2 with hpet: new-hpet-0, new-hpet-1; 1 odd: new-tsc-9", rows[0].oddNames(true))
	require.Len(t, rows[0].dots, 2, "a lane for each group")
	require.Len(t, rows[0].dots[1], 2)
	entries := f.legend(picture.Width)
	require.Len(t, entries, 2)
	require.Equal(t, "12 machines: new", entries[0].Name, "all have the same CPU and version")
	require.Equal(t, "2 machines: old", entries[1].Name)
	require.Equal(t, "3 machines: a CPU, new, timebench 1", Of(all[:3], nil, time.Time{}).legend(picture.Width)[0].Name)
}

// A group with several clock sources has no odd machine: the first line and the picture show the sources.
// A picture names each odd machine, also where the names do not fit beside a row; of a large fleet the first.
func TestOddMachinesHaveALineInThePicture(t *testing.T) {
	all := machines("new", "tsc", slices.Repeat([]float64{20}, 40)...)
	few := Of(append(all, machines("new", "hpet", 1400, 1400)...), nil, time.Time{})
	require.Equal(t, []string{"new-hpet-0: The clock source is hpet; 40 of 42 have tsc",
		"new-hpet-1: The clock source is hpet; 40 of 42 have tsc"}, few.oddOnes())
	text := picture.Style(picture.LabelSize, picture.Black)
	require.Equal(t, "2 with hpet", rowsOf(few)[0].oddText(text, 100*picture.Pixel))
	require.Less(t, drawing{Of(all, nil, time.Time{})}.Height(picture.Width), drawing{few}.Height(picture.Width))

	many := Of(append(machines("new", "tsc", slices.Repeat([]float64{20}, 400)...),
		machines("new", "hpet", slices.Repeat([]float64{1400}, 30)...)...), nil, time.Time{})
	lines := many.oddOnes()
	require.Len(t, lines, 21)
	require.Equal(t, "and 10 more", lines[20])
}

func TestMixedGroup(t *testing.T) {
	f := Of(append(machines("k", "hpet", 1400, 1400, 1410), machines("k", "tsc", 21, 22)...), nil, time.Time{})
	require.Equal(t, "None of 5 machines differs from its group, but a group has several clock sources: hpet 3, tsc 2.",
		f.Verdict())
	rows := rowsOf(f)
	require.Equal(t, "left: 2 with tsc: k-tsc-1, k-tsc-0", rows[0].oddNames(true))
	require.Empty(t, rowsOf(Of(append(machines("k", "hpet", 3, 3, 3), machines("k", "tsc", 3, 3)...), nil,
		time.Time{}))[0].odd, "the same cost")
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
