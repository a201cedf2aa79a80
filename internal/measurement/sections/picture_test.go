package sections_test

import (
	"bytes"
	"image/png"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/drift"
	"github.com/timebench/timebench/internal/measurement/sections"
	"github.com/timebench/timebench/internal/measurement/skew"
	"github.com/timebench/timebench/internal/measurement/verify"
	"github.com/timebench/timebench/internal/show/picture"
	"github.com/timebench/timebench/test/drawn"
	"github.com/timebench/timebench/test/made"
	"gonum.org/v1/plot/vg"
)

// Nor do labels overlap, whatever the numbers of threads.
func TestEveryChartDrawsEveryDocument(t *testing.T) {
	all := make([]int, 1024)
	for i := range all {
		all[i] = i + 1
	}
	for name, d := range map[string]*result.Document{
		"one clock, one thread": made.Document(1, 1),
		"many threads":          made.Document(17, 1, 2, 3, 4, 8, 16, 24, 1024),
		"one number of threads": made.Document(40, 24),
		"up to 24 threads":      made.Document(20, all[:24]...),
		"up to 1024 threads":    made.Document(20, all...),
		"numbers close by":      made.Document(20, 1, 900, 1000, 1001, 1002, 1023, 1024),
	} {
		for _, c := range sections.Pictures() {
			require.True(t, c.Drawable(d), "%s: %s: give what it draws to test/made", name, c.Name)
			drawn.RequireApart(t, c, d)
		}
	}
	var file bytes.Buffer
	require.NoError(t, sections.Pictures()[0].PNG(&file, made.Document(1, 1)))
	decoded, err := png.DecodeConfig(&file)
	require.NoError(t, err)
	require.Equal(t, 1800, decoded.Width)
}

func TestDocumentWithNothingMeasuredHasNoCharts(t *testing.T) {
	d := made.Document(2, 1)
	d.Sections = []result.Section{compare.Of(d)}
	for i := range compare.Of(d).Clocks {
		compare.Into(d).Clocks[i] = compare.Clock{ID: "absent", Reason: "no such device"}
	}
	empty := &result.Document{Sections: []result.Section{&verify.Verification{}, &skew.Skew{}, &drift.Drift{}}}
	none := &result.Document{Sections: []result.Section{&skew.Skew{Clocks: []skew.SkewedClock{{ID: "c"}}},
		&drift.Drift{Clocks: []drift.DriftedClock{{ID: "c"}}}}}
	for _, c := range sections.Pictures() {
		require.False(t, c.Drawable(d) || c.Drawable(empty) || c.Drawable(none), c.Name)
	}
}

// Foreign documents may hold what no run writes. Package render tests their values.
func TestExperimentsWithoutFigures(t *testing.T) {
	d := made.Document(2, 1)
	compare.Into(d).Clocks[0].Throughput = []compare.Throughput{{Threads: 1}}
	compare.Into(d).OtherClockSources = []compare.Experiment{{ClockSource: "hpet",
		Clocks: []compare.Clock{{ID: "unheard of"}}}}
	for _, c := range sections.Pictures() {
		if c.Drawable(d) {
			require.NoError(t, c.SVG(io.Discard, d, picture.Width), c.Name)
		}
	}
	compare.Into(d).OtherClockSources = nil
	for _, c := range sections.Pictures() {
		require.Equal(t, !strings.HasPrefix(c.Name, "clock-sources"), c.Drawable(d), c.Name)
	}
}

// A picture of a foreign document is no larger, and lays out no more, than a picture of a hundred clocks, and says so.
func TestPicturesHaveBounds(t *testing.T) {
	usual, most, more := made.Document(17, 1, 2), made.Document(picture.MostClocks, 1, 2),
		made.Document(3*picture.MostClocks, 1, 2)
	// Otherwise the number of CPUs differs, and so does the height.
	usual.Put(skew.Of(most))
	more.Put(skew.Of(most))
	for _, c := range sections.Pictures() {
		for name, d := range map[string]*result.Document{"usual": usual, "most": most, "more": more} {
			require.True(t, c.Drawable(d), "%s: give what it draws to test/made, for %s", c.Name, name)
		}
		height := func(d *result.Document) vg.Length { return c.Of(d).Height(picture.Width) }
		require.LessOrEqual(t, height(usual), height(most), c.Name)
		require.Equal(t, height(most), height(more), "%s: draw picture.Shown of what has a figure", c.Name)
		require.NotContains(t, c.Subtitle(most), "at most", c.Name)
		require.Regexp(t, "at most 100 of 300 [a-zA-Z ]+$", c.Subtitle(more), c.Name)
		var pictures [2]bytes.Buffer
		require.NoError(t, c.SVG(&pictures[0], most, picture.Width))
		require.NoError(t, c.SVG(&pictures[1], more, picture.Width))
		require.Less(t, pictures[1].Len(), 2*pictures[0].Len(), c.Name)
	}
}

func TestPicturesAreElementsOfAPage(t *testing.T) {
	d := made.Document(17, 1, 2, 4)
	d.Host.CPU.Model = `<script>alert("CPU")</script>`
	compare.Into(d).Clocks[0].ID = `<b>"bold"@vdso`
	documents := []*result.Document{d}
	for _, cpus := range []int{8, 192} {
		documents = append(documents, made.Trusted(cpus, cpus != 8))
	}
	for i, d := range documents {
		for _, c := range sections.Pictures() {
			require.Equal(t, i == 0 || !slices.ContainsFunc(compare.Kind.Pictures,
				func(of picture.Chart[*result.Document]) bool { return of.Name == c.Name }), c.Drawable(d),
				"%s: give what it draws to made.Trusted, unless it is a picture of compare", c.Name)
			if c.Drawable(d) {
				drawn.RequireElement(t, c, d)
			}
		}
	}
}
