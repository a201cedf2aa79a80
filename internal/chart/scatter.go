package chart

import (
	"fmt"

	"github.com/timebench/timebench/internal/result"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A spot is a clock in the plane of cost and resolution.
type spot struct {
	clock result.Clock
	// resolutionNS is the tick, or the cost of a read where the clock is finer
	// than that: two reads cannot be told apart any closer.
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

// scatterHeight grows with the labels that must find a place.
func scatterHeight(d *result.Document) vg.Length {
	return max(620*pixel, vg.Length(len(spots(d)))*24*pixel+200*pixel)
}

func drawScatter(c draw.Canvas, d *result.Document) error {
	all := spots(d)
	var costs, resolutions []float64
	for _, s := range all {
		costs = append(costs, s.clock.Latency.MedianNS)
		resolutions = append(resolutions, s.resolutionNS)
	}
	p := newPlot()
	p.X.Min, p.X.Max = around(costs, 2.5)
	p.Y.Min, p.Y.Max = around(resolutions, 4)
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, logTicks{duration}
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, logTicks{duration}
	marks := &spotMarks{spots: all}
	p.Add(marks)
	rest := legend(c, measured(d))
	note := style(labelSize, grey)
	c.FillText(note, vg.Point{X: c.Min.X, Y: rest.Max.Y - labelSize}, "Hollow: finer than a read, so drawn at the cost of one (on the dotted line).")
	drawPlot(draw.Crop(rest, 0, 0, 0, -26*pixel), p,
		"wall time of one read (logarithmic): cheaper to the left", "resolution (logarithmic): finer below")
	if left := marks.unnamed; left > 0 {
		note.XAlign = draw.XRight
		c.FillText(note, vg.Point{X: c.Max.X, Y: rest.Max.Y - labelSize}, fmt.Sprintf("%d of %d have no room for a name.", left, len(all)))
	}
	return nil
}

// spotMarks is the plotter of drawScatter.
type spotMarks struct {
	spots []spot
	// unnamed counts those whose labels found no place.
	unnamed int
}

const spotRadius = 5 * pixel

func (marks *spotMarks) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	equal := stroke(grey, pixel)
	equal.Dashes = []vg.Length{pixel, 4 * pixel}
	low, high := max(p.X.Min, p.Y.Min), min(p.X.Max, p.Y.Max)
	if low < high {
		c.StrokeLine2(equal, x(low), y(low), x(high), y(high))
	}
	text := style(labelSize, black)
	labels := make([]label, len(marks.spots))
	names := make([]string, len(marks.spots))
	for i, s := range marks.spots {
		names[i] = shortened(text, s.clock.ID, mostNameWidth)
		labels[i] = label{
			point: vg.Point{X: x(s.clock.Latency.MedianNS), Y: y(s.resolutionNS)},
			width: text.Width(names[i]) + 4*pixel, height: labelSize + 4*pixel,
		}
	}
	// A label that found no place is left out: the picture is full, and the table
	// has the clock. Leaders come first, so that none is drawn over a label.
	places := arrange(labels, spotRadius, box{c.Min, c.Max})
	for i, at := range places {
		thin := stroke(lookOf(marks.spots[i].clock.Path).color, 0.6*pixel)
		if at.found {
			c.StrokeLine2(thin, at.leader.from.X, at.leader.from.Y, at.leader.to.X, at.leader.to.Y)
		}
	}
	for i, at := range places {
		text.Color = lookOf(marks.spots[i].clock.Path).color
		if !at.found {
			marks.unnamed++
			continue
		}
		c.FillPolygon(white, []vg.Point{at.min, {X: at.max.X, Y: at.min.Y}, at.max, {X: at.min.X, Y: at.max.Y}})
		c.FillText(text, vg.Point{X: at.min.X + 2*pixel, Y: at.min.Y + 4*pixel}, names[i])
	}
	for i, s := range marks.spots {
		look := lookOf(s.clock.Path)
		glyph := look.glyph(spotRadius)
		if s.clock.Resolution.FinerThanRead {
			glyph.Shape = look.hollow
		}
		c.DrawGlyph(glyph, labels[i].point)
	}
}
