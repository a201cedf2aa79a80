package compare

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/picture"
)

// Clocks of a path that do not differ up to the CPUs share the line of the first.
func TestClocksThatDoNotDifferAreABand(t *testing.T) {
	line := func(id string, values ...float64) picture.Line {
		return picture.Line{Name: id, At: []float64{1, 2, 4}[:len(values)], Values: values}
	}
	drawn := bands([]picture.Line{
		line("a@vdso", 20, 20, 40), line("b@vdso", 21, 22, 90), line("c@vdso", 22, 21, 39), line("short@vdso", 20),
		line("slow@vdso", 20, 30, 60), line("d@go", 20, 20, 40),
	}, 2)
	require.Len(t, drawn, 4)
	require.Len(t, drawn[0].Band, 2)
	require.Equal(t, []float64{20, 20, 40}, drawn[0].Values)
	require.Equal(t, "short@vdso", drawn[1].Name, "what it costs with more threads is unknown")
	require.Equal(t, "slow@vdso", drawn[2].Name)
	require.Equal(t, "d@go", drawn[3].Name)
	require.Len(t, bands([]picture.Line{line("a@vdso", 20, 20, 40), line("b@vdso", 21, 22, 90)}, 0), 2,
		"without CPUs all is compared")
}

// Percentile p stands at 1/(1-p): half of the reads at 2, all but one in a hundred
// at 100.
func TestDistributionIsDrawnByItsNines(t *testing.T) {
	d := &result.Document{Sections: []result.Section{&Costs{Clocks: []Clock{{ID: "c",
		Distribution: &Distribution{Reads: 1000, Buckets: []Bucket{
			{UpToNS: 20, Reads: 500}, {UpToNS: 30, Reads: 490}, {UpToNS: 900, Reads: 10},
		}}}}}}}
	l := percentiles(d)[0]
	require.InDeltaSlice(t, []float64{1 / 0.99, 2, 2, 100, 100, 1000}, l.At, 1e-9)
	require.Equal(t, []float64{20, 20, 30, 30, 900, 900}, l.Values)
	var labels []string
	for _, tick := range percentileTicks(1, 1e5) {
		labels = append(labels, tick.Label)
	}
	require.Equal(t, []string{"50", "90", "99", "99.9", "99.99", "99.999"}, labels)
}

// Clocks of a path whose single reads do not differ share the line of the first.
func TestDistributionsThatDoNotDifferAreABand(t *testing.T) {
	clock := func(id, path string, p50NS float64) Clock {
		return Clock{ID: id, Path: path, Distribution: &Distribution{
			Reads: 100, P50NS: p50NS, P90NS: 60, P99NS: 60, Buckets: []Bucket{{UpToNS: p50NS, Reads: 50},
				{UpToNS: 60, Reads: 50}},
		}}
	}
	d := &result.Document{Sections: []result.Section{&Costs{Clocks: []Clock{
		clock("a@vdso", "vdso", 30), clock("b@vdso", "vdso", 40), clock("far@vdso", "vdso", 50),
		clock("c@cpu", "cpu", 30), {ID: "untimed@vdso", Path: "vdso"},
	}}}}
	drawn := percentiles(d)
	require.Len(t, drawn, 3)
	require.Equal(t, "b@vdso", drawn[0].Band[0].Name)
	require.Equal(t, []float64{30, 30, 60, 60}, drawn[0].Values)
	require.Equal(t, "far@vdso", drawn[1].Name)
	require.Empty(t, drawn[1].Band)
	require.Equal(t, "c@cpu", drawn[2].Name)
}

// A picture made under Wine must not pass for a picture of Windows.
func TestPictureNamesWine(t *testing.T) {
	d := document()
	d.Host.OS, d.Host.Arch, d.Host.CPU.Model = "linux", "amd64", "a CPU"
	require.NotContains(t, machine(d), "Wine")
	d.Host.OS, d.Host.Windows = "windows", &result.Windows{Wine: &result.Wine{Version: "8.0"}}
	require.Contains(t, machine(d), "windows/amd64 · Wine 8.0, not Windows · a CPU")
	d.Host.Windows.Wine = nil
	require.NotContains(t, machine(d), "Wine")
}
