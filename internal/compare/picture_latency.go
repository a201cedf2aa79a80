package compare

import (
	"cmp"
	"slices"

	"github.com/timebench/timebench/internal/picture"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/words"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

func latencyHeight(d *result.Document) vg.Length {
	return vg.Length(len(measured(d))+1)*picture.RowHeight + 190*picture.Pixel
}

// drawLatency draws a row for each clock, the fastest first: a mark at the median and a bar for
// its confidence interval, on a logarithmic axis.
func drawLatency(c draw.Canvas, d *result.Document) error {
	clocks := measured(d)
	slices.SortStableFunc(clocks, func(a, b Clock) int { return cmp.Compare(b.Latency.MedianNS, a.Latency.MedianNS) })
	p := picture.NewPlot()
	var values []float64
	names := make(plot.ConstantTicks, len(clocks))
	for i, clock := range clocks {
		values = append(values, clock.Latency.MedianNS, max(clock.Latency.HighNS, clock.Latency.MedianNS))
		names[i] = plot.Tick{Value: float64(i), Label: picture.Shortened(picture.Style(picture.LabelSize, picture.Black), clock.ID, picture.MostNameWidth)}
	}
	p.X.Min, p.X.Max = picture.Around(values, 1.5)
	p.X.Max *= 2 // room for the figure beside the last mark
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, picture.LogTicks{Word: words.Duration}
	p.Y.Min, p.Y.Max = -0.6, float64(len(clocks))-0.4
	p.Y.Tick.Marker = names
	p.Y.Tick.Length = 0
	p.Add(latencyRows{clocks})
	picture.DrawPlot(legend(c, clocks), p, "wall time per read: median with its 95% CI (log scale)", "")
	return nil
}

// latencyRows is the plotter of drawLatency: row i is clock i.
type latencyRows struct{ clocks []Clock }

func (rows latencyRows) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	text := picture.Style(picture.LabelSize, picture.Black)
	text.YAlign = draw.YCenter
	for i, clock := range rows.clocks {
		look, at := picture.LookOf(clock.Path), y(float64(i))
		middle := x(clock.Latency.MedianNS)
		end := middle
		c.StrokeLine2(picture.Stroke(picture.Light, picture.Pixel), c.Min.X, at, middle, at)
		if l := clock.Latency; l.Confidence > 0 {
			end = x(l.HighNS)
			c.StrokeLine2(picture.Stroke(look.Color, 2*picture.Pixel), x(l.LowNS), at, end, at)
			for _, edge := range []vg.Length{x(l.LowNS), end} {
				c.StrokeLine2(picture.Stroke(look.Color, 2*picture.Pixel), edge, at-5*picture.Pixel, edge, at+5*picture.Pixel)
			}
		}
		c.DrawGlyph(look.Glyph(4.5*picture.Pixel), vg.Point{X: middle, Y: at})
		c.FillText(text, vg.Point{X: end + 10*picture.Pixel, Y: at + 2*picture.Pixel}, words.Duration(clock.Latency.MedianNS))
	}
}

// legend draws the legend at the top of a canvas and returns the rest.
func legend(c draw.Canvas, clocks []Clock) draw.Canvas {
	var entries []picture.Entry
	for _, l := range picture.Looks {
		if slices.ContainsFunc(clocks, func(c Clock) bool { return c.Path == l.Path }) {
			entries = append(entries, picture.Entry{Look: l, Name: "@" + l.Path})
		}
	}
	return picture.LegendOf(c, entries)
}
