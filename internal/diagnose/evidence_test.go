package diagnose

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// Clocks with the same story are one row: a number if they are all of their sort, otherwise their ids.
func TestClocksWithTheSameStoryAreOneRow(t *testing.T) {
	entry := func(c compare.Clock) string { return c.KernelEntry }
	for name, test := range map[string]struct {
		plant func([]compare.Clock)
		want  []string
	}{
		"all": {func([]compare.Clock) {}, []string{"3 fine clocks · 640 ns/read · always"}},
		"costs that differ": {func(c []compare.Clock) { c[1].Latency.MedianNS, c[2].Latency = 1250, nil },
			[]string{"3 fine clocks · 640 ns to 1.25 µs/read · always"}},
		"one that differs": {func(c []compare.Clock) { c[1].KernelEntry = result.Sometimes }, []string{
			"CLOCK_MONOTONIC@vdso, CLOCK_MONOTONIC_RAW@vdso · 640 ns/read · always",
			"CLOCK_REALTIME@vdso · 640 ns/read (95% CI 634 ns to 646 ns) · sometimes"}},
		"an interval without width": {func(c []compare.Clock) {
			c[1].KernelEntry, c[1].Latency.LowNS, c[1].Latency.HighNS = result.Sometimes, 639.9, 640.1
		}, []string{
			"CLOCK_MONOTONIC@vdso, CLOCK_MONOTONIC_RAW@vdso · 640 ns/read · always",
			"CLOCK_REALTIME@vdso · 640 ns/read · sometimes"}},
		"one that cannot be read": {func(c []compare.Clock) {
			c[1] = compare.Clock{ID: "x@vdso", Path: "vdso", Reason: "no such clock", KernelEntry: result.Unknown}
		},
			[]string{"2 fine clocks · 640 ns/read · always", "x@vdso · unknown"}},
		"a coarse one": {func(c []compare.Clock) { c[2], c[3] = c[3], c[2]; c[2].KernelEntry = result.Always }, []string{
			"CLOCK_MONOTONIC@vdso, CLOCK_REALTIME@vdso · 640 ns/read · always",
			"CLOCK_REALTIME_COARSE@vdso · 8 ns/read (95% CI 7.92 ns to 8.08 ns) · always"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := well()
			compare.Into(d).Clocks = clocks(result.Always, 640)
			test.plant(compare.Into(d).Clocks)
			require.Equal(t, test.want, rows(d, compare.Of(d).Clocks[:3], entry))
		})
	}
}
