package compare

import (
	"cmp"
	"slices"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/picture"
	"github.com/timebench/timebench/internal/show/words"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// stepNS returns the tick of a clock, 0 if it is finer than one read; ok is false if it did not tick.
func stepNS(c Clock) (ns float64, ok bool) {
	switch r := c.Resolution; {
	case r == nil:
		return 0, false
	case r.FinerThanRead:
		return 0, true
	default:
		return r.TickNS, r.TickNS > 0
	}
}

// lanes are the clocks by resolution, the finest first. In a lane the fastest clock is first, and each clock has its
// own line.
type lanes [][]Clock

func lanesOf(d *result.Document) (all lanes) {
	const equal = 1.1 // ratio of ticks that are drawn as one
	clocks := slices.DeleteFunc(measured(d), func(c Clock) bool { _, ok := stepNS(c); return !ok })
	step := func(c Clock) float64 { ns, _ := stepNS(c); return ns }
	slices.SortStableFunc(clocks, func(a, b Clock) int { return cmp.Compare(step(a), step(b)) })
	for _, c := range clocks {
		if last := len(all) - 1; last >= 0 && step(c) <= equal*step(all[last][0]) {
			all[last] = append(all[last], c)
		} else {
			all = append(all, []Clock{c})
		}
	}
	for _, lane := range all {
		slices.SortStableFunc(lane, byMedian)
	}
	return all
}

func laneName(lane []Clock) string {
	if ns, _ := stepNS(lane[0]); ns > 0 {
		return words.Duration(ns)
	}
	return finerThanRead
}

// Height returns the height of the picture; 0 without clocks.
func (all lanes) Height(vg.Length) vg.Length {
	if len(all) == 0 {
		return 0
	}
	height := 170 * picture.Pixel
	for _, lane := range all {
		height += vg.Length(len(lane)+1) * (picture.LineApart + picture.Pixel)
	}
	return height
}

// Draw draws a lane for each resolution, the finest at the bottom, with the clocks at their latency. An axis of
// resolutions would be mostly empty, because clocks have few.
func (all lanes) Draw(c draw.Canvas) {
	var costs []float64
	var names []picture.Tick
	from := 0.0
	for _, lane := range all {
		for _, clock := range lane {
			costs = append(costs, clock.Latency.MedianNS)
		}
		height := float64(len(lane) + 1)
		names = append(names, picture.Tick{Value: from + height/2, Label: laneName(lane)})
		from += height
	}
	p := picture.Plot{X: picture.LogAxis(costs, 1.5, picture.LogTicks(words.Duration)),
		Y: picture.Axis{Max: from, Ticks: picture.At(names), NoMarks: true}}
	of := picture.Rows{Legend: legend(slices.Concat(all...))}
	picture.DrawPlot(of.DrawLegend(c), &p, "wall time per read (log scale): faster to the left",
		"resolution: finer below", all.plot)
}

// plot draws each clock with its name on the side with more room.
func (all lanes) plot(c draw.Canvas, p *picture.Plot) {
	const radius, gap = 5 * picture.Pixel, 9 * picture.Pixel
	x, y := p.Transforms(&c)
	line := 0.0
	for _, lane := range all {
		for _, clock := range lane {
			line++
			look, at := picture.LookOf(clock.Path), vg.Point{X: x(clock.Latency.MedianNS), Y: y(line)}
			c.DrawGlyph(look.Glyph(radius), at)
			text, room := picture.Style(picture.LabelSize, look.Color), c.Max.X-at.X-gap
			text.YAlign = draw.YCenter
			name, from := picture.ShortenedID(text, clock.ID, room), at.X+gap
			if left := at.X - c.Min.X - gap; name != clock.ID && left > room {
				text.XAlign, from = draw.XRight, at.X-gap
				name = picture.ShortenedID(text, clock.ID, left)
			}
			c.FillText(text, vg.Point{X: from, Y: at.Y + 2*picture.Pixel}, name)
		}
		line++
		c.StrokeLine2(picture.Stroke(picture.Light, picture.Pixel), c.Min.X, y(line), c.Max.X, y(line))
	}
}
