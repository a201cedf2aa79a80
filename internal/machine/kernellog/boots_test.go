package kernellog

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBoots(t *testing.T) {
	const first, second = "[    0.0] Linux version 6.1\n[    0.2] hpet: a\n[  100.1] tsc: b\n[  100.2] tsc: c\n", "[    0.0] Linux version 6.2\n[    0.1] hpet: d\n[    7.1] tsc: e\n"
	dated := strings.NewReplacer("[    0.0] ", "Dec 31 23:59:59 h kernel: ", "[    0.1] ", "Jan  1 00:00:00 h kernel: ", "[    0.2] ", "Jan  1 00:00:01 h kernel: ",
		"[  100.1] ", "Jan  1 00:01:39 h kernel: ", "[  100.2] ", "Feb 11 00:01:40 h kernel: ", "[    7.1] ", "Oct  1 00:02:09 h kernel: ")
	reversed := func(log string) string {
		lines := strings.Split(strings.TrimSuffix(log, "\n"), "\n")
		slices.Reverse(lines)
		return strings.Join(lines, "\n") + "\n"
	}
	for name, want := range map[string]struct {
		log           string
		order, number int
		separated     bool
		begins        []int // the lines
	}{
		"one":                     {first, 1, 1, true, []int{0}},
		"two":                     {first + second, 1, 2, true, []int{0, 4}},
		"the end of one":          {first[28:] + second, 1, 2, true, []int{3}},
		"no beginning":            {first[28:], 1, 1, true, nil},
		"newest first":            {reversed(first), -1, 1, true, []int{3}},
		"two, newest first":       {reversed(first + second), -1, 2, true, []int{2, 6}},
		"only two lines":          {"[  100.1] tsc: b\n[    0.0] Linux version 6.1\n", -1, 1, true, []int{1}},
		"a beginning, and one":    {"[    0.0] Linux version 6.1\n[  100.1] tsc: b\n", 1, 1, true, []int{0}},
		"dates":                   {dated.Replace(first), 1, 1, true, nil},
		"dates, two":              {dated.Replace(first + second), 1, 2, false, nil},
		"dates, newest first":     {dated.Replace(reversed(first)), -1, 1, true, nil},
		"ISO dates, newest first": {"2024-12-03T09:00:12Z h kernel: hpet: a\n2024-12-02T09:00:12Z h kernel: Linux version 6\n", -1, 1, true, nil},
		"no stamps":               {"Linux version 6.1\ntsc: a\n", 1, 1, true, nil},
		"no stamps, two":          {"Linux version 6.1\ntsc: a\nLinux version 6.1\ntsc: b\n", 1, 2, false, nil},
		"out of order":            {"[    0.0] Linux version 6.1\n[    5.1] tsc: b\n[    5.0] tsc: a\n", 1, 1, true, []int{0}},
		// Anybody can write such a line to the log of a daemon.
		"a program's line":            {first + "Sep 11 07:03:06 host kernel: Linux version 6.1\n", 1, 1, true, []int{0}},
		"a line of the running":       {first + "[  200.0] Linux version 9\n", 1, 1, true, []int{0}},
		"a program's line with dates": {dated.Replace(first) + "Feb 12 07:03:06 host kernel: Linux version 6.1\n", 1, 2, false, nil},
		"a program's stamp":           {dated.Replace(first) + "Feb 12 07:03:06 host kernel: [    0.0] Linux version 6.1\n", 1, 1, true, nil},
	} {
		var b boots
		var begins []int
		for i, line := range strings.Split(strings.TrimSuffix(want.log, "\n"), "\n") {
			if b.add(Split(line)) == newBoot {
				begins = append(begins, i)
			}
		}
		require.Equal(t, want.order, b.order(), name)
		require.Equal(t, want.number, b.number(), name)
		require.Equal(t, want.separated, b.separated(), name)
		require.Equal(t, want.begins, begins, name)
	}
}
