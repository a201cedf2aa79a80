package compare

import (
	"fmt"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/picture"
	"github.com/timebench/timebench/internal/show/words"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A spot is the point of a clock: its latency and its resolution.
type spot struct {
	clock Clock
	// resolutionNS is the tick, or the latency if the clock is finer than one read: no
	// two reads are closer.
	resolutionNS float64
}

func spots(d *result.Document) []spot {
	var all []spot
	for _, c := range measured(d) {
		switch r := c.Resolution; {
		case r == nil:
		case r.FinerThanRead:
			all = append(all, spot{c, max(c.Latency.MedianNS, r.TickNS)})
		case r.TickNS > 0:
			all = append(all, spot{c, r.TickNS})
		}
	}
	return all
}

func hasResolution(d *result.Document) bool { return len(spots(d)) > 0 }

// scatterHeight grows with the number of labels.
func scatterHeight(d *result.Document) vg.Length {
	return max(620*picture.Pixel, vg.Length(len(spots(d)))*24*picture.Pixel+200*picture.Pixel)
}

func drawScatter(c draw.Canvas, d *result.Document) error {
	all := spots(d)
	var costs, resolutions []float64
	for _, s := range all {
		costs = append(costs, s.clock.Latency.MedianNS)
		resolutions = append(resolutions, s.resolutionNS)
	}
	p := picture.NewPlot()
	p.X.Min, p.X.Max = picture.Around(costs, 2.5)
	p.Y.Min, p.Y.Max = picture.Around(resolutions, 4)
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, picture.LogTicks{Word: words.Duration}
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, picture.LogTicks{Word: words.Duration}
	marks := &spotMarks{spots: all}
	p.Add(marks)
	rest := legend(c, measured(d))
	note := picture.Style(picture.LabelSize, picture.Grey)
	c.FillText(note, vg.Point{X: c.Min.X, Y: rest.Max.Y - picture.LabelSize}, "Hollow: finer than one read, drawn at the latency (on the dotted line).")
	picture.DrawPlot(draw.Crop(rest, 0, 0, 0, -26*picture.Pixel), p,
		"wall time per read (log scale): faster to the left", "resolution (log scale): finer below")
	if left := marks.unnamed; left > 0 {
		note.XAlign = draw.XRight
		c.FillText(note, vg.Point{X: c.Max.X, Y: rest.Max.Y - picture.LabelSize}, fmt.Sprintf("%d of %d labels do not fit.", left, len(all)))
	}
	return nil
}

// spotMarks is the plotter of drawScatter.
type spotMarks struct {
	spots []spot
	// unnamed is the number of labels that do not fit.
	unnamed int
}

const spotRadius = 5 * picture.Pixel

func (marks *spotMarks) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	equal := picture.Stroke(picture.Grey, picture.Pixel)
	equal.Dashes = []vg.Length{picture.Pixel, 4 * picture.Pixel}
	low, high := max(p.X.Min, p.Y.Min), min(p.X.Max, p.Y.Max)
	if low < high {
		c.StrokeLine2(equal, x(low), y(low), x(high), y(high))
	}
	text := picture.Style(picture.LabelSize, picture.Black)
	labels := make([]picture.Label, len(marks.spots))
	names := make([]string, len(marks.spots))
	for i, s := range marks.spots {
		names[i] = picture.Shortened(text, s.clock.ID, picture.MostNameWidth)
		labels[i] = picture.Label{
			Point: vg.Point{X: x(s.clock.Latency.MedianNS), Y: y(s.resolutionNS)},
			Width: text.Width(names[i]) + 4*picture.Pixel, Height: picture.LabelSize + 4*picture.Pixel,
		}
	}
	// Labels that do not fit are left out; the table has the clock. Leaders come first, so
	// that none is drawn over a label.
	places := picture.Arrange(labels, spotRadius, picture.Box{Min: c.Min, Max: c.Max})
	for i, at := range places {
		thin := picture.Stroke(picture.LookOf(marks.spots[i].clock.Path).Color, 0.6*picture.Pixel)
		if at.Found {
			c.StrokeLine2(thin, at.Leader.From.X, at.Leader.From.Y, at.Leader.To.X, at.Leader.To.Y)
		}
	}
	for i, at := range places {
		text.Color = picture.LookOf(marks.spots[i].clock.Path).Color
		if !at.Found {
			marks.unnamed++
			continue
		}
		c.FillPolygon(picture.White, []vg.Point{at.Min, {X: at.Max.X, Y: at.Min.Y}, at.Max, {X: at.Min.X, Y: at.Max.Y}})
		c.FillText(text, vg.Point{X: at.Min.X + 2*picture.Pixel, Y: at.Min.Y + 4*picture.Pixel}, names[i])
	}
	for i, s := range marks.spots {
		look := picture.LookOf(s.clock.Path)
		glyph := look.Glyph(spotRadius)
		if s.clock.Resolution.FinerThanRead {
			glyph.Shape = look.Hollow
		}
		c.DrawGlyph(glyph, labels[i].Point)
	}
}
