package table

import (
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/show/exposition"
	"github.com/timebench/timebench/internal/show/words"
)

type reading struct {
	clock  string
	costNS float64
	level  Level
}

var readings = []Column[reading]{
	{Name: "Clock", Key: "clock", Left: true, Text: func(r reading) string { return r.clock }},
	{Key: "path", Text: func(r reading) string { _, path, _ := strings.Cut(r.clock, "@"); return path }},
	{
		Name: "cost", Key: "cost_ns", Spare: 1, Unit: words.Duration,
		Value:  func(r reading) float64 { return Known(r.costNS) },
		Metric: "cost_seconds", Help: "What a read costs.",
	},
	{Name: "unknown of all", Key: "nothing", Value: func(reading) float64 { return Unknown }},
	{Name: "share", Spare: 2, Cell: func(reading) string { return "10 %" }, Note: "share: of the CPU time."},
	{Name: "verdict", Text: func(reading) string { return "same" }, Level: func(r reading) Level { return r.level }},
}

var two = []reading{{"CLOCK_MONOTONIC@vdso", 1500, Warn}, {"hpet@mmio", 0, 0}}

// People get the columns with a name that have a value, programs get the columns with a key, and a collector gets the
// columns with a metric.
func TestAFigureIsDescribedOnce(t *testing.T) {
	g := Of("t", two, readings)
	require.Equal(t, []string{"Clock", "cost", "share", "verdict"}, g.Header)
	require.Equal(t, [][]string{{"CLOCK_MONOTONIC@vdso", "1.5 µs", "10 %", "same"}, {"hpet@mmio", "-", "10 %", "same"}},
		g.Rows)
	require.Equal(t, []Level{Warn, 0}, g.levels)
	require.Equal(t, [][]string{
		{"clock", "path", "cost_ns", "nothing"}, {"CLOCK_MONOTONIC@vdso", "vdso", "1500", ""},
		{"hpet@mmio", "mmio", "", ""},
	}, Lines(two, readings[:4]))
	require.Equal(t, []exposition.Family{{
		Name: "timebench_cost_seconds", Type: exposition.Gauge, Help: "What a read costs.",
		Samples: []exposition.Sample{{Labels: []string{"clock", "CLOCK_MONOTONIC@vdso"}, Value: 1.5e-6}},
	}}, Metrics("timebench_", two, func(r reading) []string { return []string{"clock", r.clock} }, readings))
	require.Empty(t, Of("t", nil, readings).Rows)
}

// Columns of least priority are left out, and named; then the column of text wraps.
func TestTablesFitAWidth(t *testing.T) {
	g := Of("", two, readings)
	for width, want := range map[int]string{
		100: "Clock                   cost  share  verdict",
		40:  "Clock                   cost  verdict",
		30:  "Clock                 verdict",
		22:  "Clock          verdict",
	} {
		shown := g.Text(width)
		require.Contains(t, strings.Split(shown, "\n"), want, "%d columns: %s", width, shown)
		require.LessOrEqual(t, text.LongestLineLen(shown), width)
	}
	require.Contains(t, g.Text(30), "With -v also: cost, share.")
	require.Contains(t, g.Text(22), "\nMONOTONIC@\n")
	require.Contains(t, g.HTML(), "share")
	require.Contains(t, g.Text(100), "\nshare: of the CPU time.\n")
	require.NotContains(t, g.Text(40), "share: ", "a note on a column that is left out")
}
