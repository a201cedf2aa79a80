package chart

import (
	"cmp"
	"slices"

	"github.com/timebench/timebench/internal/result"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const rowHeight = 24 * pixel

func latencyHeight(d *result.Document) vg.Length {
	return vg.Length(len(measured(d))+1)*rowHeight + 190*pixel
}

// drawLatency draws a row a clock, the cheapest above: a mark at the median and
// a bar over its interval, on a logarithmic axis.
func drawLatency(c draw.Canvas, d *result.Document) error {
	clocks := measured(d)
	slices.SortStableFunc(clocks, func(a, b result.Clock) int { return cmp.Compare(b.Latency.MedianNS, a.Latency.MedianNS) })
	p := newPlot()
	var values []float64
	names := make(plot.ConstantTicks, len(clocks))
	for i, clock := range clocks {
		values = append(values, clock.Latency.MedianNS, max(clock.Latency.HighNS, clock.Latency.MedianNS))
		names[i] = plot.Tick{Value: float64(i), Label: shortened(style(labelSize, black), clock.ID, mostNameWidth)}
	}
	p.X.Min, p.X.Max = around(values, 1.5)
	p.X.Max *= 2 // room for the figure beside the last mark
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, logTicks{duration}
	p.Y.Min, p.Y.Max = -0.6, float64(len(clocks))-0.4
	p.Y.Tick.Marker = names
	p.Y.Tick.Length = 0
	p.Add(latencyRows{clocks})
	drawPlot(legend(c, clocks), p, "wall time of one read, with the 95 % interval of its median (logarithmic)", "")
	return nil
}

// latencyRows is the plotter of drawLatency: row i is clock i.
type latencyRows struct{ clocks []result.Clock }

func (rows latencyRows) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	text := style(labelSize, black)
	text.YAlign = draw.YCenter
	for i, clock := range rows.clocks {
		look, at := lookOf(clock.Path), y(float64(i))
		middle := x(clock.Latency.MedianNS)
		end := middle
		c.StrokeLine2(stroke(light, pixel), c.Min.X, at, middle, at)
		if l := clock.Latency; l.Confidence > 0 {
			end = x(l.HighNS)
			c.StrokeLine2(stroke(look.color, 2*pixel), x(l.LowNS), at, end, at)
			for _, edge := range []vg.Length{x(l.LowNS), end} {
				c.StrokeLine2(stroke(look.color, 2*pixel), edge, at-5*pixel, edge, at+5*pixel)
			}
		}
		c.DrawGlyph(look.glyph(4.5*pixel), vg.Point{X: middle, Y: at})
		c.FillText(text, vg.Point{X: end + 10*pixel, Y: at + 2*pixel}, duration(clock.Latency.MedianNS))
	}
}

// legend writes at the top of a canvas what the colours mean, and returns the
// rest.
func legend(c draw.Canvas, clocks []result.Clock) draw.Canvas {
	var entries []entry
	for _, l := range looks {
		if slices.ContainsFunc(clocks, func(c result.Clock) bool { return c.Path == l.path }) {
			entries = append(entries, entry{l, "@" + l.path})
		}
	}
	return legendOf(c, entries)
}
