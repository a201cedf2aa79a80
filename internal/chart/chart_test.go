package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/diff"
	"github.com/timebench/timebench/internal/picture"
	"github.com/timebench/timebench/internal/printable"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/skew"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// document has so many clocks under so many threads, in crowds as real ones are.
func document(clocks int, threads ...int) *result.Document {
	d := &result.Document{
		Schema: result.Schema, Tool: result.Tool{Version: "test"},
		Host:     result.Host{OS: "linux", Arch: "amd64", CPU: result.CPU{Model: "a CPU", Logical: 2, Usable: 2}},
		Settings: result.Settings{Threads: threads, Rounds: 10, TimeNS: 1e8, Pin: "none", Workers: "threads"},
	}
	for i := range clocks {
		cost := []float64{2.3, 20, 20.1, 20.2, 150, 152, 500}[i%7] + float64(i)/50
		c := result.Clock{
			ID: strings.Repeat("C", 5+i%20) + "@" + picture.Looks[i%len(picture.Looks)].Path, Path: picture.Looks[i%len(picture.Looks)].Path, Available: true,
			Latency:    &result.Latency{MedianNS: cost, LowNS: cost * 0.99, HighNS: cost * 1.2, Confidence: 0.95, MinNS: cost},
			Resolution: &result.Resolution{TickNS: 1, FinerThanRead: i%3 > 0},
		}
		c.Distribution = &result.Distribution{Reads: 100_000, Buckets: []result.Bucket{
			{UpToNS: cost, Reads: 90_000}, {UpToNS: cost * 1.1, Reads: 9_900}, {UpToNS: cost * 100, Reads: 100},
		}}
		for _, n := range threads {
			c.Throughput = append(c.Throughput, result.Throughput{Threads: n, ReadsPerSecond: 1e9 / cost, NSPerRead: cost * float64(n)})
		}
		d.Clocks = append(d.Clocks, c)
	}
	d.Host.ClockSource = &result.ClockSource{Current: "tsc", Available: []string{"tsc", "hpet", "acpi_pm"}}
	// One of the experiments ended early.
	d.OtherClockSources = []result.Experiment{{ClockSource: "hpet", Clocks: d.Clocks}, {ClockSource: "acpi_pm", Clocks: d.Clocks[:clocks/2]}}
	addTrust(d, 2+clocks%7, clocks%2 == 0)
	return d
}

func TestEveryChartDrawsEveryDocument(t *testing.T) {
	for name, d := range map[string]*result.Document{
		"one clock, one thread": document(1, 1),
		"a usual run":           document(17, 1, 2),
		"many threads":          document(17, 1, 2, 3, 4, 8, 16, 24, 1024),
		"one number of threads": document(5, 24),
		"every clock":           document(40, 1, 2, 4),
	} {
		for _, c := range Charts {
			require.True(t, c.Drawable(d), "%s: %s", name, c.Name)
			var drawn bytes.Buffer
			require.NoError(t, c.PNG(&drawn, d), "%s: %s", name, c.Name)
			decoded, err := png.DecodeConfig(&drawn)
			require.NoError(t, err)
			require.Equal(t, 1800, decoded.Width)
		}
	}
}

func TestDocumentWithNothingMeasuredHasNoCharts(t *testing.T) {
	d := document(2, 1)
	d.Sections = nil
	for i := range d.Clocks {
		d.Clocks[i] = result.Clock{ID: "absent", Reason: "no such device"}
	}
	for _, c := range Charts {
		require.False(t, c.Drawable(d), c.Name)
	}
}

// A clock that was never seen to tick has no place in the plane of cost and
// resolution, rather than one at zero.
// Documents of others may hold what no run leaves.
func TestExperimentsWithoutFigures(t *testing.T) {
	d := document(2, 1)
	d.Clocks[0].Throughput = []result.Throughput{{Threads: 1}}
	d.OtherClockSources = []result.Experiment{{ClockSource: "hpet", Clocks: []result.Clock{{ID: "unheard of"}}}}
	for _, c := range Charts {
		if c.Drawable(d) {
			require.NoError(t, c.PNG(io.Discard, d), c.Name)
		}
	}
	d.OtherClockSources = nil
	for _, c := range Charts {
		require.Equal(t, !strings.HasPrefix(c.Name, "clock-sources"), c.Drawable(d), c.Name)
	}
}

func TestClockThatDidNotTickIsNoSpot(t *testing.T) {
	d := document(2, 1)
	d.Clocks[0].Resolution = &result.Resolution{WatchedNS: 1e8}
	require.Len(t, spots(d), 1)
	d.Clocks[1].Resolution = nil
	require.False(t, hasResolution(d))
}

func TestPerfectScalingStartsAtTheFastestClock(t *testing.T) {
	l := perfect(lines(document(7, 2, 4), readsPerSecond))
	require.Equal(t, []float64{2, 4}, l.At)
	require.InEpsilon(t, 1e9/2.3, l.Values[0], 1e-9)
	require.InEpsilon(t, 2e9/2.3, l.Values[1], 1e-9)
}

// The pictures of usual documents are as good as they can be: all orders are tried.
func TestUsualDocumentsAreFarFromTheBounds(t *testing.T) {
	for n, most := range map[int]int{17: picture.MostWork / 20, 24: picture.MostWork / 4} {
		d := document(n, 1)
		require.LessOrEqual(t, n, picture.MostClocks)
		area := picture.Box{Max: vg.Point{X: 800 * picture.Pixel, Y: scatterHeight(d) - 100*picture.Pixel}}
		var labels []picture.Label
		for _, s := range spots(d) {
			labels = append(labels, picture.Label{
				Point: vg.Point{X: vg.Length(math.Log10(s.clock.Latency.MedianNS)+1) * 200 * picture.Pixel, Y: vg.Length(math.Log10(s.resolutionNS)+1) * 150 * picture.Pixel},
				Width: picture.Style(picture.LabelSize, picture.Black).Width(s.clock.ID), Height: picture.LabelSize,
			})
		}
		_, work := picture.Arranged(labels, spotRadius, area, picture.MostWork)
		require.Less(t, work, most, "%d clocks", n)
	}
}

// A picture of a document of anyone's is no larger, and lays out no more, than one of a
// hundred clocks, and says so.
func TestPicturesHaveBounds(t *testing.T) {
	usual, most, more := document(17, 1, 2), document(picture.MostClocks, 1, 2), document(7*picture.MostClocks, 1, 2)
	// Otherwise the number of CPUs is another, and so is the height.
	usual.Put(skew.Of(most))
	more.Put(skew.Of(most))
	for _, c := range Charts {
		require.LessOrEqual(t, c.Height(usual), c.Height(most), c.Name)
		require.Equal(t, c.Height(most), c.Height(more), c.Name)
		require.NotContains(t, c.Subtitle(most), "at most", c.Name)
		require.Contains(t, c.Subtitle(more), "at most 100 of 700 clocks", c.Name)
		var pictures [2]bytes.Buffer
		require.NoError(t, c.SVG(&pictures[0], most))
		require.NoError(t, c.SVG(&pictures[1], more))
		require.Less(t, pictures[1].Len(), 2*pictures[0].Len(), c.Name)
	}
	c := DiffCharts[0]
	// Under three clock sources, but half of them under two only.
	few, many := changed(slices.Repeat([]float64{1}, 40)...), changed(slices.Repeat([]float64{1}, 120)...)
	require.Len(t, few.Latencies(), picture.MostClocks)
	require.Equal(t, c.Height(few), c.Height(many))
	require.NotContains(t, c.Subtitle(few), "at most")
	require.Contains(t, c.Subtitle(many), "at most 100 of 300 clocks")
	require.NoError(t, c.PNG(io.Discard, many))
}

func TestSpotsWithoutANameAreCounted(t *testing.T) {
	drawn := func(id string) string {
		d := document(60, 1)
		for i := range d.Clocks {
			d.Clocks[i].ID = id + strconv.Itoa(i)
		}
		var svg bytes.Buffer
		require.NoError(t, Charts[1].SVG(&svg, d))
		return svg.String()
	}
	require.NotContains(t, drawn("short"), "no room for a name")
	d := document(2, 1)
	c := draw.New(vgsvg.New(120*picture.Pixel, 500*picture.Pixel)) // narrower than a name
	var out bytes.Buffer
	require.NoError(t, drawScatter(c, d))
	_, err := c.Canvas.(*vgsvg.Canvas).WriteTo(&out)
	require.NoError(t, err)
	require.Contains(t, out.String(), "2 of 2 have no room for a name.")
}

// No text is laid out that no width holds: that of a megabyte takes minutes.
func TestNoTextIsLaidOutWithoutEnd(t *testing.T) {
	require.Equal(t, "AMD EPYC™", picture.Bounded("AMD EPYC™"))
	require.Equal(t, strings.Repeat("é", picture.Longest), picture.Bounded(strings.Repeat("é", picture.Longest)))
	require.Equal(t, strings.Repeat("é", picture.Longest)+"…", picture.Bounded(strings.Repeat("é", picture.Longest+1)))
	require.Equal(t, "a b", picture.Bounded("a\x1bb"))
	long := strings.Repeat("W", picture.Longest+1)
	d := printable.All(document(5, 1, 2), func(text string) string { return text + long })
	for _, c := range Charts {
		var svg bytes.Buffer
		require.NoError(t, c.SVG(&svg, d), c.Name)
		require.NotContains(t, svg.String(), long, c.Name)
	}
	other := printable.All(changed(1, 2), func(text string) string { return text + long })
	var svg bytes.Buffer
	require.NoError(t, DiffCharts[0].SVG(&svg, other))
	require.NotContains(t, svg.String(), long)
}

// BenchmarkCrowd draws the picture whose labels look for a place, of so many clocks.
func BenchmarkCrowd(b *testing.B) {
	for _, n := range []int{17, 40, 100, 300} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			d := document(n, 1)
			for b.Loop() {
				require.NoError(b, Charts[1].PNG(io.Discard, d))
			}
		})
	}
}

// changed is a diff of clocks whose samples are so many times as long.
func changed(factors ...float64) *diff.Diff {
	old, new := document(len(factors), 1), document(len(factors), 1)
	for i, factor := range factors {
		old.Clocks[i].ID, new.Clocks[i].ID = fmt.Sprint("clock", i), fmt.Sprint("clock", i)
		for j := range 20 {
			sample := 20 + float64(j)/100
			old.Clocks[i].Latency.SamplesNS = append(old.Clocks[i].Latency.SamplesNS, sample)
			new.Clocks[i].Latency.SamplesNS = append(new.Clocks[i].Latency.SamplesNS, sample*factor)
		}
	}
	return diff.Compare(diff.Read("before.json", old), diff.Read("after.json", new), diff.Settings{Alpha: 0.05, Least: 0.02})
}

func TestDiffChartsDrawEveryDiff(t *testing.T) {
	for name, d := range map[string]*diff.Diff{
		"nothing changed": changed(1, 1, 1), "small changes": changed(1, 1.03, 0.95), "demoted": changed(1, 40, 45, 0.01),
	} {
		for _, c := range DiffCharts {
			require.True(t, c.Drawable(d), name)
			require.NoError(t, c.PNG(&bytes.Buffer{}, d), name)
			requireElement(t, c, d)
		}
	}
	for _, c := range DiffCharts {
		require.False(t, c.Drawable(diff.Compare(diff.Read("a", &result.Document{}), diff.Read("b", &result.Document{}), diff.Settings{})))
	}
}

// requireElement holds that an SVG is one well-formed element that brings nothing
// of its own: no script, no link, no colour that the page cannot change.
func requireElement[T any](t *testing.T, c picture.Chart[T], of T) {
	t.Helper()
	var drawn bytes.Buffer
	require.NoError(t, c.SVG(&drawn, of))
	decoder := xml.NewDecoder(bytes.NewReader(drawn.Bytes()))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if element, ok := token.(xml.StartElement); ok {
			require.Contains(t, []string{"svg", "g", "path", "text"}, element.Name.Local)
			for _, attribute := range element.Attr {
				require.NotRegexp(t, `(fill|stroke):#`, attribute.Value, "a colour that is not of the palette")
			}
		}
	}
	require.True(t, strings.HasPrefix(drawn.String(), `<svg role="img" aria-label="`+c.Title))
	require.NotContains(t, drawn.String(), "NaN")
	require.NotContains(t, drawn.String(), "Inf")
}

func TestSVGIsAnElementForAPage(t *testing.T) {
	d := document(17, 1, 2, 4)
	d.Host.CPU.Model = `<script>alert("CPU")</script>`
	d.Clocks[0].ID = `<b>"bold"@vdso`
	for _, c := range Charts {
		requireElement(t, c, d)
	}
}

// Percentile p stands at 1/(1-p): half of the reads at 2, all but one in a hundred
// at 100.
func TestDistributionIsDrawnByItsNines(t *testing.T) {
	d := &result.Document{Clocks: []result.Clock{{ID: "c", Distribution: &result.Distribution{Reads: 1000, Buckets: []result.Bucket{
		{UpToNS: 20, Reads: 500}, {UpToNS: 30, Reads: 490}, {UpToNS: 900, Reads: 10},
	}}}}}
	l := percentiles(d)[0]
	require.InDeltaSlice(t, []float64{1 / 0.99, 2, 2, 100, 100, 1000}, l.At, 1e-9)
	require.Equal(t, []float64{20, 20, 30, 30, 900, 900}, l.Values)
	var labels []string
	for _, tick := range (percentileTicks{}).Ticks(1, 1e5) {
		labels = append(labels, tick.Label)
	}
	require.Equal(t, []string{"50", "90", "99", "99.9", "99.99", "99.999"}, labels)
}

// A picture that was made under Wine must not pass for one of Windows.
func TestPictureNamesWine(t *testing.T) {
	d := document(1, 1)
	require.NotContains(t, machine(d), "Wine")
	d.Host.OS, d.Host.Windows = "windows", &result.Windows{Wine: &result.Wine{Version: "8.0"}}
	require.Contains(t, machine(d), "windows/amd64 · Wine 8.0, not Windows · a CPU")
	d.Host.Windows.Wine = nil
	require.NotContains(t, machine(d), "Wine")
}
