package compare

import (
	"cmp"
	"slices"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/picture"
	"github.com/timebench/timebench/internal/show/words"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// hasSources reports whether a document has an experiment with clock sources.
func hasSources(d *result.Document) bool {
	return len(Of(d).OtherClockSources) > 0 && hasLatency(d)
}

// sourceLook returns colour and shape of the i-th clock source.
func sourceLook(i int) picture.Look { return picture.Looks[i%sourceLooks] }

// sourceLooks is the number of looks that differ in both colour and shape.
const sourceLooks = 5

func sourcesHeight(d *result.Document) vg.Length { return latencyHeight(d) + 30*picture.Pixel }

// drawSources draws a row for each clock, with a mark for each clock source.
func drawSources(c draw.Canvas, d *result.Document) error {
	sources := BySource(d)
	clocks := measured(d)
	slices.SortStableFunc(clocks, func(a, b Clock) int { return cmp.Compare(b.Latency.MedianNS, a.Latency.MedianNS) })
	p := picture.NewPlot()
	var values []float64
	var entries []picture.Entry
	for i, source := range sources {
		entries = append(entries, picture.Entry{Look: sourceLook(i), Name: picture.Shortened(picture.Style(picture.LabelSize, picture.Black), source.ClockSource, picture.MostNameWidth)})
		for _, clock := range source.Clocks {
			if clock.Latency != nil && clock.Latency.MedianNS > 0 {
				values = append(values, clock.Latency.MedianNS)
			}
		}
	}
	names := make(plot.ConstantTicks, len(clocks))
	for i, clock := range clocks {
		names[i] = plot.Tick{Value: float64(i), Label: picture.Shortened(picture.Style(picture.LabelSize, picture.Black), clock.ID, picture.MostNameWidth)}
	}
	p.X.Min, p.X.Max = picture.Around(values, 1.5)
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, picture.LogTicks{Word: words.Duration}
	p.Y.Min, p.Y.Max = -0.6, float64(len(clocks))-0.4
	p.Y.Tick.Marker = names
	p.Y.Tick.Length = 0
	p.Add(sourceRows{clocks, sources})
	picture.DrawPlot(picture.LegendOf(c, entries), p, "wall time per read, by clock source (log scale)", "")
	return nil
}

// sourceRows is the plotter of drawSources: row i is clock i.
type sourceRows struct {
	clocks  []Clock
	sources []Experiment
}

func (rows sourceRows) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i, clock := range rows.clocks {
		at := y(float64(i))
		c.StrokeLine2(picture.Stroke(picture.Light, picture.Pixel), c.Min.X, at, c.Max.X, at)
		// The machine's own clock source is drawn last, on top.
		for j, source := range slices.Backward(rows.sources) {
			if l := latencyOf(source.Clocks, clock.ID); l > 0 {
				c.DrawGlyph(sourceLook(j).Glyph(5*picture.Pixel), vg.Point{X: x(l), Y: at})
			}
		}
	}
}

// latencyOf returns the median of a clock; 0 if it was not measured.
func latencyOf(clocks []Clock, id string) float64 {
	for _, c := range clocks {
		if c.ID == id && c.Latency != nil {
			return c.Latency.MedianNS
		}
	}
	return 0
}

// scalingOf returns the clock for the picture of the scaling by clock source: the one that most
// programs read, or else the first measured one.
func scalingOf(d *result.Document) string {
	const usual = "CLOCK_MONOTONIC@vdso"
	first := ""
	for _, c := range Of(d).Clocks {
		if !slices.ContainsFunc(c.Throughput, func(t Throughput) bool { return t.ReadsPerSecond > 0 }) {
			continue
		}
		if c.ID == usual {
			return usual
		}
		first = cmp.Or(first, c.ID)
	}
	return first
}

func hasSourceScaling(d *result.Document) bool { return hasSources(d) && hasThroughput(d) }

func sourceScalingHeight(*result.Document) vg.Length { return 480 * picture.Pixel }

// drawSourceScaling draws a line for each clock source: the reads per second of one clock.
func drawSourceScaling(c draw.Canvas, d *result.Document) error {
	id := scalingOf(d)
	var all []picture.Line
	for i, source := range BySource(d) {
		look := sourceLook(i)
		l := picture.Line{Name: source.ClockSource, Mark: look.Glyph(4 * picture.Pixel), Style: picture.Stroke(look.Color, 1.8*picture.Pixel)}
		for _, clock := range source.Clocks {
			if clock.ID != id {
				continue
			}
			for _, t := range clock.Throughput {
				if t.ReadsPerSecond > 0 {
					l.At, l.Values = append(l.At, float64(t.Threads)), append(l.Values, t.ReadsPerSecond)
				}
			}
		}
		if len(l.Values) > 0 {
			all = append(all, l)
		}
	}
	g := overThreads(d, append(all, perfect(all)))
	g.YLabel, g.Word = "reads per second of "+id+" (log scale)", words.Rate
	g.Draw(c)
	return nil
}
