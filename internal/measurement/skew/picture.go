package skew

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/picture"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	// mostPanels is the maximum number of clocks in the picture.
	mostPanels  = 3
	panelHeight = 220 * picture.Pixel
	panelGap    = 30 * picture.Pixel
)

// A panel is the skew of one clock.
type panel struct {
	id    string
	pairs []CPUPair // each once
}

// panels are the skew of the first clocks that were compared.
type panels []panel

func panelsOf(d *result.Document) (all panels) {
	if Of(d) == nil {
		return nil
	}
	for _, c := range Of(d).Clocks {
		if p := panelOf(c); len(p.pairs) > 0 && len(all) < mostPanels {
			all = append(all, p)
		}
	}
	return all
}

func panelOf(c SkewedClock) panel {
	p := panel{id: c.ID}
	seen := map[[2]int]bool{}
	for _, pair := range c.Pairs {
		key := [2]int{min(pair.CPU, pair.OtherCPU), max(pair.CPU, pair.OtherCPU)}
		if pair.CPU != pair.OtherCPU && !seen[key] {
			seen[key] = true
			p.pairs = append(p.pairs, pair)
		}
	}
	slices.SortStableFunc(p.pairs, func(a, b CPUPair) int {
		return cmp.Or(cmp.Compare(a.CPU, b.CPU), cmp.Compare(a.OtherCPU, b.OtherCPU))
	})
	return p
}

// pictures are the pictures of a skew section.
var pictures = []picture.Chart[*result.Document]{{
	Name: "skew", Title: "Skew between CPUs",
	Subtitle: func(d *result.Document) string { return section.Caption(d, len(compare.Of(d).Clocks)) },
	Of:       func(d *result.Document) picture.Drawing { return panelsOf(d) },
}}

// Height returns the height of the picture; 0 without panels.
func (all panels) Height(vg.Length) vg.Length {
	if len(all) == 0 {
		return 0
	}
	return 84*picture.Pixel - panelGap + vg.Length(len(all))*(panelHeight+panelGap)
}

// Draw draws a panel per clock.
func (all panels) Draw(c draw.Canvas) {
	for _, p := range all {
		area := c
		area.Min.Y = c.Max.Y - panelHeight
		p.draw(area)
		c.Max.Y = area.Min.Y - panelGap
	}
}

// draw draws a mark per pair of CPUs at its offset, and a bar for the error bound.
func (p panel) draw(c draw.Canvas) {
	title := picture.Style(picture.LabelSize, picture.Black)
	title.YAlign = draw.YTop
	c.FillText(title, vg.Point{X: c.Min.X, Y: c.Max.Y}, picture.Shortened(title, p.id, c.Size().X))
	var values []float64
	for _, pair := range p.pairs {
		values = append(values, pair.OffsetNS-pair.BoundNS, pair.OffsetNS+pair.BoundNS)
	}
	view := picture.NewPlot()
	view.Y.Min, view.Y.Max = picture.Through(values)
	view.Y.Ticks = picture.OffsetTicks{}
	view.X.Min, view.X.Max = -1, float64(len(p.pairs))
	view.X.Ticks = pairTicks(p.pairs)
	view.Add(skewMarks{p.pairs})
	label := fmt.Sprintf("CPU, compared with CPU %d", p.pairs[0].CPU)
	if !haveOneFirst(p.pairs) {
		label = "pair of CPUs: offset of the second from the first"
	}
	picture.DrawPlot(draw.Crop(c, 0, 0, 0, -22*picture.Pixel), view, label, "offset ± bound")
}

// haveOneFirst reports whether all pairs have the same first CPU.
func haveOneFirst(pairs []CPUPair) bool {
	return !slices.ContainsFunc(pairs, func(pair CPUPair) bool { return pair.CPU != pairs[0].CPU })
}

// pairTicks labels the pairs of a strip, as many as fit: with the second CPU if all pairs have the same first CPU,
// otherwise with both.
type pairTicks []CPUPair

func (t pairTicks) Ticks(_, _ float64) []picture.Tick {
	most, room, name := 24, 30*picture.Pixel, func(pair CPUPair) string { return strconv.Itoa(pair.OtherCPU) }
	if !haveOneFirst(t) {
		most, room, name = 16, 60*picture.Pixel,
			func(pair CPUPair) string { return fmt.Sprintf("%d, %d", pair.CPU, pair.OtherCPU) }
	}
	every := 1 + len(t)/most
	var ticks []picture.Tick
	for i, pair := range t {
		if i%every == 0 {
			ticks = append(ticks, picture.Tick{Value: float64(i),
				Label: picture.Shortened(picture.Style(picture.LabelSize, picture.Black), name(pair), room)})
		}
	}
	return ticks
}

// skewMarks draws the marks of a strip; pair i is at x = i.
type skewMarks struct{ pairs []CPUPair }

func (marks skewMarks) Plot(c draw.Canvas, p *picture.Plot) {
	radius := 3.5 * picture.Pixel
	if len(marks.pairs) > 100 {
		radius = 2 * picture.Pixel
	}
	x, y := p.Transforms(&c)
	c.StrokeLine2(picture.Stroke(picture.Grey, picture.Pixel), c.Min.X, y(0), c.Max.X, y(0))
	for i, pair := range marks.pairs {
		at := vg.Point{X: x(float64(i)), Y: y(pair.OffsetNS)}
		mark, bar := picture.Look{Color: picture.RGB(0x0072b2), Shape: draw.CircleGlyph{}}.Glyph(radius),
			picture.RGB(0x56b4e9)
		if pair.Apart() {
			mark, bar = picture.Failed.Glyph(4.5*picture.Pixel), picture.Failed.Color
		}
		c.StrokeLine2(picture.Stroke(bar, 1.4*picture.Pixel), at.X, y(pair.OffsetNS-pair.BoundNS), at.X,
			y(pair.OffsetNS+pair.BoundNS))
		c.DrawGlyph(mark, at)
	}
}
