package drift

import (
	"cmp"
	"math"
	"slices"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/picture"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// pictures are the pictures of a drift section.
var pictures = []picture.Chart[*result.Document]{{
	Name: "drift", Title: "Drift of the clocks against a reference", Drawable: drawable, Subtitle: subtitle, Height: driftHeight, Draw: drawDrift,
}}

func drawable(d *result.Document) bool { return Of(d) != nil && len(driftLines(Of(d))) > 0 }

// driftHeight returns the height of the picture, with a line of text for each label beside
// the upper plot.
func driftHeight(d *result.Document) vg.Length {
	return max(330*picture.Pixel, vg.Length(len(driftLines(Of(d)))+1)*picture.LineApart) + 370*picture.Pixel
}

func subtitle(d *result.Document) string {
	return "against " + picture.Shortened(picture.Style(picture.LabelSize, picture.Black), Of(d).Reference, 300*picture.Pixel) + " · " + section.Caption(d, max(len(compare.Of(d).Clocks), len(Of(d).Clocks)))
}

// driftLines returns the offsets of the clocks over the reference's time, both in ns.
func driftLines(t *Drift) []picture.Line {
	var all []picture.Line
	ofPath := map[string]int{}
	for _, clock := range t.Clocks {
		if len(clock.Points) == 0 {
			continue
		}
		path := picture.PathOf(clock.ID)
		l := picture.LineOf(clock.ID, path, ofPath[path])
		ofPath[path]++
		for _, p := range clock.Points {
			l.At, l.Values = append(l.At, float64(p.AtNS)), append(l.Values, p.OffsetNS)
		}
		all = append(all, l)
	}
	return picture.Shown(all)
}

// residuals returns the lines without the slope of the clock's own rate: asleep, or under
// load if there is no rate asleep. It omits a clock without a rate.
func residuals(t *Drift, lines []picture.Line) []picture.Line {
	var all []picture.Line
	for _, l := range lines {
		clock := t.Clocks[slices.IndexFunc(t.Clocks, func(c DriftedClock) bool { return c.ID == l.Name })]
		rate := cmp.Or(clock.Asleep, clock.Loaded)
		if rate == nil {
			continue
		}
		slope := 0.0 // without a nominal rate, offsets are relative to the measured rate
		if rate.PPM != nil {
			slope = *rate.PPM * 1e-6
		}
		left := l
		left.Values = make([]float64, len(l.Values))
		sum, n := 0.0, 0
		for i, at := range l.At {
			left.Values[i] = l.Values[i] - slope*at
			if rate == clock.Asleep && t.LoadedFromNS > 0 && at >= float64(t.LoadedFromNS) {
				continue // the rate is that of the time asleep
			}
			sum, n = sum+left.Values[i], n+1
		}
		if n > 0 {
			for i := range left.Values {
				left.Values[i] -= sum / float64(n)
			}
		}
		all = append(all, left)
	}
	return all
}

// drawDrift draws a line per clock: its offset above, its residual below.
func drawDrift(c draw.Canvas, d *result.Document) error {
	const lower, sinceBeginning = 240 * picture.Pixel, "time since the start"
	lines := driftLines(Of(d))
	above := overTime{t: Of(d), lines: lines, yLabel: "offset", xLabel: sinceBeginning, named: true}
	left := residuals(Of(d), lines)
	if len(left) == 0 {
		above.draw(c, 0)
		return nil
	}
	column := above.column()
	above.xLabel = "" // the lower plot has it
	above.draw(draw.Crop(c, 0, 0, lower, 0), column)
	beneath := overTime{t: Of(d), lines: left, yLabel: "residual", xLabel: sinceBeginning}
	beneath.draw(draw.Crop(c, 0, 0, 0, -(c.Max.Y-c.Min.Y-lower)), column)
	return nil
}

// overTime is a plot of lines over the time of a run.
type overTime struct {
	t      *Drift
	lines  []picture.Line
	yLabel string
	xLabel string
	// named is whether the names of the lines are beside the plot.
	named bool
}

// column returns the width of the names and their leaders.
func (o overTime) column() vg.Length {
	text, widest := picture.Style(picture.LabelSize, picture.Black), vg.Length(0)
	for _, l := range o.lines {
		widest = max(widest, text.Width(picture.Shortened(text, l.Name, picture.MostNameWidth)))
	}
	return widest + picture.Leader
}

func (o overTime) draw(c draw.Canvas, column vg.Length) {
	column = cmp.Or(column, o.column())
	var places, values []float64
	for _, l := range o.lines {
		places, values = append(places, l.At...), append(values, l.Values...)
	}
	p := picture.NewPlot()
	p.Y.Min, p.Y.Max = picture.Through(values)
	p.Y.Tick.Marker = picture.OffsetTicks{}
	p.X.Min, p.X.Max = 0, max(slices.Max(places), float64(o.t.DurationNS), 1)
	p.X.Tick.Marker = picture.OffsetTicks{}
	p.Add(o)
	// Both plots leave the same width for tick labels, so that their time axes are aligned.
	const words = 74 * picture.Pixel
	p.Y.Padding = max(0, words-widestTick(p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max)))
	data := picture.DrawPlot(draw.Crop(c, 0, -column, 0, 0), p, o.xLabel, o.yLabel)
	if !o.named {
		return
	}
	x, y := p.Transforms(&data)
	picture.NameEnds(c, data, o.lines, x, y)
}

func widestTick(ticks []plot.Tick) vg.Length {
	text, widest := picture.Style(picture.LabelSize, picture.Black), vg.Length(0)
	for _, t := range ticks {
		widest = max(widest, text.Width(t.Label))
	}
	return widest
}

// Plot shades the time under load and draws the lines.
func (o overTime) Plot(c draw.Canvas, p *plot.Plot) {
	const fewPoints = 60
	x, y := p.Transforms(&c)
	if from := float64(o.t.LoadedFromNS); from > 0 && from < p.X.Max {
		c.FillPolygon(picture.Shade(0, 1), []vg.Point{{X: x(from), Y: c.Min.Y}, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: x(from), Y: c.Max.Y}})
		text := picture.Style(picture.LabelSize, picture.Grey)
		text.YAlign = draw.YTop
		name := " every CPU busy"
		if x(from)+text.Width(name) > c.Max.X {
			text.XAlign, name = draw.XRight, name+" "
		}
		c.FillText(text, vg.Point{X: x(from), Y: c.Max.Y - 2*picture.Pixel}, name)
	}
	c.StrokeLine2(picture.Stroke(picture.Grey, picture.Pixel), c.Min.X, y(0), c.Max.X, y(0))
	for _, l := range o.lines {
		points := make([]vg.Point, len(l.Values))
		for i := range points {
			points[i] = vg.Point{X: x(l.At[i]), Y: y(math.Min(math.Max(l.Values[i], p.Y.Min), p.Y.Max))}
		}
		c.StrokeLines(l.Style, points)
		if len(points) > fewPoints {
			continue
		}
		for _, point := range points {
			c.DrawGlyph(l.Mark, point)
		}
	}
}
