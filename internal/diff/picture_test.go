package diff_test

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/diff"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/picture"
	"github.com/timebench/timebench/test/drawn"
	"github.com/timebench/timebench/test/made"
)

// changed returns a diff of clocks with samples multiplied by factors.
func changed(factors ...float64) *diff.Diff {
	old, new := made.Document(len(factors), 1), made.Document(len(factors), 1)
	for _, d := range []*result.Document{old, new} {
		d.Sections = []result.Section{compare.Of(d)}
	}
	for i, factor := range factors {
		compare.Into(old).Clocks[i].ID, compare.Into(new).Clocks[i].ID = fmt.Sprint("clock", i), fmt.Sprint("clock", i)
		for j := range 20 {
			sample := 20 + float64(j)/100
			compare.Into(old).Clocks[i].Latency.SamplesNS = append(compare.Into(old).Clocks[i].Latency.SamplesNS,
				sample)
			compare.Into(new).Clocks[i].Latency.SamplesNS = append(compare.Into(new).Clocks[i].Latency.SamplesNS,
				sample*factor)
		}
	}
	return diff.Compare(diff.Read("before.json", old), diff.Read("after.json", new), section.Settings{MinChange: 0.02})
}

func TestDiffChartsDrawEveryDiff(t *testing.T) {
	for name, d := range map[string]*diff.Diff{
		"nothing changed": changed(1, 1, 1), "small changes": changed(1, 1.03, 0.95),
		"demoted": changed(1, 40, 45, 0.01),
	} {
		for _, c := range diff.Pictures {
			require.True(t, c.Drawable(d), name)
			require.NoError(t, c.PNG(&bytes.Buffer{}, d), name)
			drawn.RequireElement(t, c, d)
		}
	}
	for _, c := range diff.Pictures {
		require.False(t, c.Drawable(diff.Compare(diff.Read("a", &result.Document{}), diff.Read("b", &result.Document{}),
			section.Settings{})))
	}
}

func TestPictureOfADiffHasBounds(t *testing.T) {
	c := diff.Pictures[0]
	// With three clock sources, but half of the clocks with two only.
	few, many := changed(slices.Repeat([]float64{1}, 40)...), changed(slices.Repeat([]float64{1}, 120)...)
	require.Len(t, few.Costs().Latencies(), picture.MostClocks)
	require.Equal(t, c.Of(few).Height(picture.Width), c.Of(many).Height(picture.Width))
	require.NotContains(t, c.Subtitle(few), "at most")
	require.Contains(t, c.Subtitle(many), "at most 100 of 300 clocks")
	require.NoError(t, c.PNG(io.Discard, many))
}
