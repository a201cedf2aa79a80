package drift

import (
	"cmp"
	"math"
	"slices"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/picture"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// pictures are the pictures of a drift section.
var pictures = []picture.Chart[*result.Document]{{
	Name: "drift", Title: "Drift of the clocks against a reference", Drawable: drawable, Subtitle: subtitle,
	Height: driftHeight, Draw: drawDrift,
}}

func drawable(d *result.Document) bool { return Of(d) != nil && len(panels(Of(d))) > 0 }

func subtitle(d *result.Document) string {
	return "against " + picture.Shortened(picture.Style(picture.LabelSize, picture.Black), Of(d).Reference,
		300*picture.Pixel) + " · " + section.Caption(d, max(len(compare.Of(d).Clocks), len(Of(d).Clocks)))
}

// A panel is the plot of one clock.
type panel struct {
	picture.Line // over the reference's time, both in ns, without its rate
	offset       picture.Line
	title        string
	loadedFromNS float64
	durationNS   float64
}

// panels returns the panels of the first clocks with readings.
func panels(t *Drift) []panel {
	var all []panel
	for _, clock := range t.Clocks {
		if len(clock.Points) == 0 {
			continue
		}
		p := panel{Line: picture.LineOf(clock.ID, picture.PathOf(clock.ID)), loadedFromNS: float64(t.LoadedFromNS),
			durationNS: float64(t.DurationNS)}
		for _, point := range clock.Points {
			p.At, p.Values = append(p.At, float64(point.AtNS)), append(p.Values, point.OffsetNS)
		}
		p.offset = p.Line
		p.offset.Values, p.offset.Mark.Shape, p.offset.Aside = slices.Clone(p.Values), nil, !compare.IsEveryday(clock.ID)
		p.subtractRate(clock)
		all = append(all, p)
	}
	return picture.Shown(all)
}

// subtractRate subtracts the clock's own rate: idle, or under load if there is no rate idle. The title has the rate.
// Without any rate the offsets stay.
func (p *panel) subtractRate(clock DriftedClock) {
	rate := cmp.Or(clock.Idle, clock.Loaded)
	if rate == nil {
		p.title = "no rate: the offset itself"
		return
	}
	slope := 0.0 // without a nominal rate, offsets are relative to the measured rate
	p.title = "no nominal rate"
	if rate.PPM != nil {
		slope = *rate.PPM * 1e-6
		p.title = ppm(rate) + " ppm"
	}
	sum, n := 0.0, 0
	for i, at := range p.At {
		p.Values[i] -= slope * at
		if rate == clock.Idle && p.loadedFromNS > 0 && at >= p.loadedFromNS {
			continue // the rate is that of the time idle
		}
		sum, n = sum+p.Values[i], n+1
	}
	for i := range p.Values {
		p.Values[i] -= sum / float64(max(n, 1))
	}
}

const (
	panelHeight  = 150 * picture.Pixel
	panelGap     = 24 * picture.Pixel
	offsetHeight = 300 * picture.Pixel
)

// offsets returns the lines of the offsets. Clocks of a path whose last offsets do not differ in the picture share one.
func offsets(t *Drift) picture.Graph {
	const share = 0.02 // of the axis
	all := panels(t)
	var lines []picture.Line
	var values []float64
	for _, p := range all {
		lines, values = append(lines, p.offset), append(values, p.offset.Values...)
	}
	low, high := picture.Through(values)
	last := func(l picture.Line) float64 { return l.Values[len(l.Values)-1] }
	return picture.Graph{
		Lines: picture.Banded(lines, func(l picture.Line) picture.Line { return l },
			func(a, b picture.Line) bool { return math.Abs(last(a)-last(b)) > share*(high-low) }),
		YLabel: "offset from the reference", XLabel: "time since the start", Linear: true,
		Shade: float64(t.LoadedFromNS), ShadeName: "every CPU busy",
	}
}

func graphHeight(t *Drift, width vg.Length) vg.Length {
	names := vg.Length(len(panels(t))) * picture.LineApart
	if picture.IsNarrow(width) {
		return offsetHeight + names
	}
	return max(offsetHeight, names+110*picture.Pixel)
}

// columns returns the number of panels beside each other.
func columns(width vg.Length) int {
	if picture.IsNarrow(width) {
		return 1
	}
	return 2
}

func driftHeight(d *result.Document, width vg.Length) vg.Length {
	rows := (len(panels(Of(d))) + columns(width) - 1) / columns(width)
	return graphHeight(Of(d), width) + vg.Length(rows)*panelHeight + 64*picture.Pixel +
		picture.NoteHeight(note(Of(d)), width-2*picture.Margin)
}

func note(t *Drift) string {
	text := "Below, on one scale: the distance of each clock from its fitted rate, over the time since the start."
	if t.LoadedFromNS > 0 {
		text += " Grey: every CPU busy."
	}
	return text
}

// drawDrift draws the offsets of the clocks, and a panel for each clock: its offset without the effect of its rate.
func drawDrift(c draw.Canvas, d *result.Document) error {
	height := graphHeight(Of(d), c.Size().X)
	offsets(Of(d)).Draw(draw.Crop(c, 0, 0, c.Size().Y-height+panelGap, 0))
	c = picture.Note(draw.Crop(c, 0, 0, 0, -height), note(Of(d)))
	var all []float64
	for _, p := range panels(Of(d)) {
		all = append(all, p.Values...)
	}
	low, high := picture.Through(all)
	n := columns(c.Size().X)
	width := (c.Size().X - vg.Length(n-1)*panelGap) / vg.Length(n)
	for i, p := range panels(Of(d)) {
		area := draw.Canvas{Canvas: c.Canvas}
		area.Min.X = c.Min.X + vg.Length(i%n)*(width+panelGap)
		area.Max.Y = c.Max.Y - vg.Length(i/n)*panelHeight
		area.Max.X, area.Min.Y = area.Min.X+width, area.Max.Y-panelHeight+panelGap
		p.draw(area, low, high)
	}
	return nil
}

// draw draws the panel on an axis from low to high.
func (p panel) draw(c draw.Canvas, low, high float64) {
	rate, name := picture.Style(picture.LabelSize, picture.Grey), picture.Style(picture.LabelSize, p.Style.Color)
	rate.XAlign, rate.YAlign, name.YAlign = draw.XRight, draw.YTop, draw.YTop
	c.FillText(rate, c.Max, p.title)
	c.FillText(name, vg.Point{X: c.Min.X, Y: c.Max.Y}, picture.Shortened(name, p.Name,
		c.Size().X-rate.Width(p.title)-panelGap))
	view := picture.NewPlot()
	view.Y.Min, view.Y.Max = low, high
	view.Y.Ticks = picture.OffsetTicks{Steps: 2}
	view.X.Min, view.X.Max = 0, max(slices.Max(p.At), p.durationNS, 1)
	view.X.Ticks = picture.OffsetTicks{}
	view.Add(p)
	view.Draw(draw.Crop(c, 0, 0, 0, -22*picture.Pixel))
}

// Plot shades the time under load and draws the readings as dots: a line between values that alternate covers the panel.
func (p panel) Plot(c draw.Canvas, view *picture.Plot) {
	x, y := view.Transforms(&c)
	if from := p.loadedFromNS; from > 0 && from < view.X.Max {
		picture.Beyond(c, x(from))
	}
	c.StrokeLine2(picture.Stroke(picture.Grey, picture.Pixel), c.Min.X, y(0), c.Max.X, y(0))
	const size = 1.6 * picture.Pixel
	var dots vg.Path // one path is a tenth of the page that as many marks are
	for i, at := range p.At {
		from := vg.Point{X: x(at) - size/2, Y: y(min(max(p.Values[i], view.Y.Min), view.Y.Max))}
		dots.Move(from)
		dots.Line(vg.Point{X: from.X + size, Y: from.Y})
	}
	c.SetLineStyle(picture.Stroke(p.Style.Color, size))
	c.Stroke(dots)
}
