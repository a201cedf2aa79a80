package compare

import (
	"cmp"
	"fmt"
	"slices"

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
	// resolutionNS is the tick; 0 if the clock is finer than one read.
	resolutionNS float64
}

func spots(d *result.Document) []spot {
	var all []spot
	for _, c := range measured(d) {
		switch r := c.Resolution; {
		case r == nil:
		case r.FinerThanRead:
			all = append(all, spot{c, 0})
		case r.TickNS > 0:
			all = append(all, spot{c, r.TickNS})
		}
	}
	return all
}

func hasResolution(d *result.Document) bool { return len(spots(d)) > 0 }

// A lane is the clocks of one resolution, the fastest first.
type lane struct {
	spots  []spot
	height vg.Length
}

// lanes returns the clocks by resolution, the finest first. A lane has room for the names of its clocks.
func lanes(d *result.Document) []lane {
	const equal = 1.1 // ratio of ticks that are drawn as one
	all := spots(d)
	slices.SortStableFunc(all, func(a, b spot) int { return cmp.Compare(a.resolutionNS, b.resolutionNS) })
	var found []lane
	for _, s := range all {
		if last := len(found) - 1; last < 0 || s.resolutionNS > equal*found[last].spots[0].resolutionNS {
			found = append(found, lane{})
		}
		found[len(found)-1].spots = append(found[len(found)-1].spots, s)
	}
	for i := range found {
		slices.SortStableFunc(found[i].spots, func(a, b spot) int { return cmp.Compare(a.clock.Latency.MedianNS, b.clock.Latency.MedianNS) })
		found[i].height = vg.Length(len(found[i].spots)+2) * labelHeight
	}
	return found
}

// name returns the resolution of a lane.
func (l lane) name() string {
	if l.spots[0].resolutionNS == 0 {
		return "< one read"
	}
	return words.Duration(l.spots[0].resolutionNS)
}

func scatterHeight(d *result.Document, _ vg.Length) vg.Length {
	height := 170 * picture.Pixel
	for _, l := range lanes(d) {
		height += l.height
	}
	return height
}

// drawScatter draws a lane for each resolution, the finest at the bottom, and in it the clocks at their
// latency. An axis of resolutions would be empty between the few that clocks have.
func drawScatter(c draw.Canvas, d *result.Document) error {
	marks := &spotMarks{lanes: lanes(d)}
	var costs []float64
	var names plot.ConstantTicks
	p := picture.NewPlot()
	p.Y.Min, p.Y.Max = 0, 0
	for _, l := range marks.lanes {
		for _, s := range l.spots {
			costs = append(costs, s.clock.Latency.MedianNS)
		}
		names = append(names, plot.Tick{Value: p.Y.Max + float64(l.height)/2, Label: l.name()})
		p.Y.Max += float64(l.height)
	}
	p.X.Min, p.X.Max = picture.Around(costs, 1.5)
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, picture.LogTicks{Word: words.Duration}
	p.Y.Tick.Marker, p.Y.Tick.Length = names, 0
	p.Add(marks)
	rest := legend(c, measured(d))
	picture.DrawPlot(rest, p, "wall time per read (log scale): faster to the left", "resolution: finer below")
	if marks.unnamed > 0 {
		note := picture.Style(picture.LabelSize, picture.Grey)
		note.XAlign, note.YAlign = draw.XRight, draw.YTop
		c.FillText(note, c.Max, fmt.Sprintf("%d of %d labels do not fit.", marks.unnamed, len(costs)))
	}
	return nil
}

// spotMarks is the plotter of drawScatter.
type spotMarks struct {
	lanes []lane
	// unnamed is the number of names that do not fit.
	unnamed int
}

const (
	spotRadius  = 5 * picture.Pixel
	labelHeight = picture.LabelSize + 4*picture.Pixel
)

func (marks *spotMarks) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	from := 0.0
	for _, l := range marks.lanes {
		to := from + float64(l.height)
		area := picture.Box{Min: vg.Point{X: c.Min.X, Y: y(from)}, Max: vg.Point{X: c.Max.X, Y: y(to)}}
		c.StrokeLine2(picture.Stroke(picture.Light, picture.Pixel), c.Min.X, area.Max.Y, c.Max.X, area.Max.Y)
		marks.drawLane(c, l, area, x)
		from = to
	}
}

// drawLane draws the clocks of a lane. Clocks of a path whose marks overlap have one label. Labels that do
// not fit are left out; the table has the clock.
func (marks *spotMarks) drawLane(c draw.Canvas, l lane, area picture.Box, x func(float64) vg.Length) {
	middle := (area.Min.Y + area.Max.Y) / 2
	text := picture.Style(picture.LabelSize, picture.Black)
	text.YAlign = draw.YCenter
	var labels []picture.Label
	var members [][]spot
next:
	for _, s := range l.spots {
		at := vg.Point{X: x(s.clock.Latency.MedianNS), Y: middle}
		width := text.Width(picture.Shortened(text, s.clock.ID, picture.MostNameWidth)) + 4*picture.Pixel
		for i, of := range members {
			if of[0].clock.Path == s.clock.Path && at.X-labels[i].Point.X < 2*spotRadius {
				members[i], labels[i].Width, labels[i].Height = append(of, s), max(labels[i].Width, width), labels[i].Height+labelHeight
				continue next
			}
		}
		labels, members = append(labels, picture.Label{Point: at, Width: width, Height: labelHeight}), append(members, []spot{s})
	}
	places := picture.Arrange(labels, spotRadius, area)
	for i, at := range places { // before the labels, so that none is drawn over a label
		if at.Found {
			thin := picture.Stroke(picture.LookOf(members[i][0].clock.Path).Color, 0.6*picture.Pixel)
			c.StrokeLine2(thin, at.Leader.From.X, at.Leader.From.Y, at.Leader.To.X, at.Leader.To.Y)
		}
	}
	for i, at := range places {
		look := picture.LookOf(members[i][0].clock.Path)
		text.Color = look.Color
		if !at.Found {
			marks.unnamed += len(members[i])
		} else {
			c.FillPolygon(picture.White, []vg.Point{at.Min, {X: at.Max.X, Y: at.Min.Y}, at.Max, {X: at.Min.X, Y: at.Max.Y}})
		}
		for k, s := range members[i] {
			if at.Found {
				name := picture.Shortened(text, s.clock.ID, picture.MostNameWidth)
				c.FillText(text, vg.Point{X: at.Min.X + 2*picture.Pixel, Y: at.Max.Y - (vg.Length(k)+0.5)*labelHeight + 2*picture.Pixel}, name)
			}
			c.DrawGlyph(look.Glyph(spotRadius), vg.Point{X: x(s.clock.Latency.MedianNS), Y: middle})
		}
	}
}
