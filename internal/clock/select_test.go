package clock

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var known = []Clock{
	{ID: "CLOCK_MONOTONIC@vdso"}, {ID: "CLOCK_MONOTONIC_COARSE@vdso"}, {ID: "CLOCK_MONOTONIC@syscall"},
	{ID: "LFENCE+RDTSC@cpu"}, {ID: "time.Now@go"},
}

func ids(clocks []Clock) string {
	var all []string
	for _, c := range clocks {
		all = append(all, c.ID)
	}
	return strings.Join(all, " ")
}

func TestSelect(t *testing.T) {
	for selectors, want := range map[string]string{
		"CLOCK_MONOTONIC@vdso":               "CLOCK_MONOTONIC@vdso",
		"clock_monotonic":                    "CLOCK_MONOTONIC@vdso CLOCK_MONOTONIC@syscall",
		"@SYSCALL":                           "CLOCK_MONOTONIC@syscall",
		"*_coarse@vdso":                      "CLOCK_MONOTONIC_COARSE@vdso",
		"lfence+rdtsc":                       "LFENCE+RDTSC@cpu",
		"time.now@go @vdso @vdso":            "CLOCK_MONOTONIC@vdso CLOCK_MONOTONIC_COARSE@vdso time.Now@go",
		"CLOCK_MONOTONIC@[sv]* *@cpu":        "CLOCK_MONOTONIC@vdso CLOCK_MONOTONIC@syscall LFENCE+RDTSC@cpu",
		"CLOCK_MONOTONIC@s* *MONOTONIC@vd?o": "CLOCK_MONOTONIC@vdso CLOCK_MONOTONIC@syscall",
	} {
		got, err := Select(known, strings.Fields(selectors))
		require.NoError(t, err, selectors)
		require.Equal(t, want, ids(got), selectors)
	}
}

func TestSelectRefuses(t *testing.T) {
	for selector, want := range map[string]string{
		"CLOCK_MONOTONC":   `unknown clock "CLOCK_MONOTONC"; nearest: CLOCK_MONOTONIC`,
		"@vsdo":            `unknown clock "@vsdo"; nearest: @vdso`,
		"a@go,,@vdso":      `unknown clock "a@go,,@vdso"; write spaces between clocks: a@go @vdso`,
		",":                "unknown clock \",\"; `timebench list` shows the known ones",
		"*@go,@vdso":       `unknown clock "*@go,@vdso"; write spaces between clocks: *@go @vdso`,
		"":                 "unknown clock \"\"; `timebench list` shows the known ones",
		"nope":             "unknown clock \"nope\"; `timebench list` shows the known ones",
		"CLOCK_BANANA":     "unknown clock \"CLOCK_BANANA\"; `timebench list` shows the known ones",
		"tsc":              `unknown clock "tsc"; nearest: LFENCE+RDTSC`,
		"cpu":              `unknown clock "cpu"; nearest: @cpu`,
		"time.now@vdso":    `unknown clock "time.now@vdso"; nearest: time.Now`,
		"*_FINE@*":         "no clock matches \"*_FINE@*\"; `timebench list` shows the known ones",
		"CLOCK_[MONO":      `clock selector "CLOCK_[MONO" is not a valid glob: syntax error in pattern`,
		"CLOCK_MONOTONIC@": `unknown clock "CLOCK_MONOTONIC@"; nearest: CLOCK_MONOTONIC`,
	} {
		_, err := Select(known, []string{"@vdso", selector})
		require.ErrorContains(t, err, want, selector)
	}
}

func FuzzSelect(f *testing.F) {
	f.Add("*_COARSE@vdso")
	f.Add("@cpu")
	f.Add("[")
	f.Fuzz(func(t *testing.T, selector string) {
		got, err := Select(known, []string{selector})
		if (err == nil) != (len(got) > 0) {
			t.Fatalf("%d clocks and error %v", len(got), err)
		}
	})
}
