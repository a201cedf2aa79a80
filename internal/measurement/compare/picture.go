package compare

import (
	"slices"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/show/picture"
	"github.com/timebench/timebench/internal/show/words"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

var pictures = []picture.Chart[*result.Document]{
	{Name: "latency", Title: "Latency of each clock", Drawable: hasLatency, Subtitle: machine, Height: latencyHeight,
		Draw: drawLatency},
	{Name: "layers", Title: "Where the time of a read goes", Drawable: hasLayers, Subtitle: machine,
		Height: layersHeight, Draw: drawLayers},
	{Name: "cost-vs-resolution", Title: "Latency and resolution of each clock", Drawable: hasResolution,
		Subtitle: machine, Height: scatterHeight, Draw: drawScatter},
	{Name: "time-per-read", Title: "Wall time per read of one thread, by number of threads", Drawable: hasThroughput,
		Subtitle: machine, Height: linesHeight, Draw: drawTimePerRead},
	{Name: "reads-per-second", Title: "Reads per second of all threads, by number of threads", Drawable: hasThroughput,
		Subtitle: machine, Height: linesHeight, Draw: drawReadsPerSecond},
	{Name: "clock-sources", Title: "Latency by clock source", Drawable: hasSources, Subtitle: machine,
		Height: latencyHeight, Draw: drawSources},
	{Name: "clock-sources-scaling", Title: "Reads per second by clock source", Drawable: hasSourceScaling,
		Subtitle: machine, Height: sourceScalingHeight, Draw: drawSourceScaling},
	{Name: "distribution", Title: "Distribution of single reads", Drawable: hasDistribution, Subtitle: machine,
		Height: distributionHeight, Draw: drawDistribution},
}

// machine returns the subtitle of a picture of all clocks.
func machine(d *result.Document) string {
	return section.Caption(d, len(Of(d).Clocks))
}

// measured returns the first clocks with a latency, in the order of the document.
func measured(d *result.Document) []Clock {
	var clocks []Clock
	for _, c := range Of(d).Clocks {
		if c.Available && c.Latency != nil && c.Latency.MedianNS > 0 {
			clocks = append(clocks, c)
		}
	}
	return picture.Shown(clocks)
}

func hasLatency(d *result.Document) bool { return len(measured(d)) > 0 }

func latencyHeight(d *result.Document, width vg.Length) vg.Length {
	return picture.RowsHeight(len(measured(d)), width)
}

// drawLatency draws a row for each clock, the fastest first: a mark at the median and a bar for
// its confidence interval, on a logarithmic axis.
func drawLatency(c draw.Canvas, d *result.Document) error {
	clocks := measured(d)
	slices.SortStableFunc(clocks, func(a, b Clock) int { return byMedian(b, a) })
	rows := picture.Rows{XLabel: "wall time per read: median with its 95% CI (log scale)"}
	for _, clock := range clocks {
		rows.Rows = append(rows.Rows, clock.Latency.Row(clock.ID, picture.LookOf(clock.Path)))
	}
	rows.Draw(legend(c, clocks))
	return nil
}

// Row returns the latency as a row of a picture.
func (l *Latency) Row(name string, look picture.Look) picture.Row {
	row := picture.Row{Name: name, Text: words.Duration(l.MedianNS),
		Points: []picture.Point{{At: l.MedianNS, Glyph: look.Glyph(4.5 * picture.Pixel)}}}
	if l.Confidence > 0 {
		row.Interval = &picture.Bar{From: l.LowNS, To: l.HighNS, Color: look.Color}
	} else if n := len(l.SamplesNS); n > 0 {
		row.Text += ", " + words.Plural(n, "sample")
	}
	return row
}

func legend(c draw.Canvas, clocks []Clock) draw.Canvas {
	var entries []picture.Entry
	for _, l := range picture.Looks {
		if slices.ContainsFunc(clocks, func(c Clock) bool { return c.Path == l.Path }) {
			entries = append(entries, picture.Entry{Look: l, Name: "@" + l.Path})
		}
	}
	return picture.LegendOf(c, entries)
}
