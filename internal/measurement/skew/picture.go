package skew

import (
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

// panels are the first clocks that were compared.
type panels []SkewedClock

func panelsOf(d *result.Document) (all panels) {
	if Of(d) == nil {
		return nil
	}
	for _, c := range Of(d).Clocks {
		if len(c.Pairs) > 0 && len(all) < mostPanels {
			all = append(all, c)
		}
	}
	return all
}

var pictures = []picture.Chart[*result.Document]{{
	Name: "skew", Title: "Skew between CPUs",
	Subtitle: func(d *result.Document) string { return section.Caption(d, len(compare.Of(d).Clocks), "clocks") },
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
	for _, clock := range all {
		area := c
		area.Min.Y = c.Max.Y - panelHeight
		clock.draw(area)
		c.Max.Y = area.Min.Y - panelGap
	}
}

// draw draws a mark per pair of CPUs at its offset, and a bar for the error bound.
func (clock SkewedClock) draw(c draw.Canvas) {
	title := picture.Style(picture.LabelSize, picture.Black)
	title.YAlign = draw.YTop
	c.FillText(title, vg.Point{X: c.Min.X, Y: c.Max.Y}, picture.Shortened(title, clock.ID, c.Size().X))
	var values []float64
	for _, pair := range clock.Pairs {
		values = append(values, pair.OffsetNS-pair.BoundNS, pair.OffsetNS+pair.BoundNS)
	}
	view := picture.Plot{Y: picture.OffsetAxis(values), X: picture.Axis{
		Min: -1, Max: float64(len(clock.Pairs)), Ticks: picture.At(pairTicks(clock.Pairs))}}
	label := fmt.Sprintf("CPU, compared with CPU %d", clock.Pairs[0].CPU)
	if !haveOneFirst(clock.Pairs) {
		label = "pair of CPUs: offset of the second from the first"
	}
	picture.DrawPlot(draw.Crop(c, 0, 0, 0, -22*picture.Pixel), &view, label, "offset ± bound", clock.plot)
}

func haveOneFirst(pairs []CPUPair) bool {
	return !slices.ContainsFunc(pairs, func(pair CPUPair) bool { return pair.CPU != pairs[0].CPU })
}

// pairTicks labels the pairs of a strip, as many as fit: with the second CPU if all pairs have the same first CPU,
// otherwise with both.
func pairTicks(pairs []CPUPair) []picture.Tick {
	most, room, name := 24, 30*picture.Pixel, func(pair CPUPair) string { return strconv.Itoa(pair.OtherCPU) }
	if !haveOneFirst(pairs) {
		most, room, name = 16, 60*picture.Pixel,
			func(pair CPUPair) string { return fmt.Sprintf("%d, %d", pair.CPU, pair.OtherCPU) }
	}
	every := 1 + len(pairs)/most
	var ticks []picture.Tick
	for i, pair := range pairs {
		if i%every == 0 {
			ticks = append(ticks, picture.Tick{Value: float64(i),
				Label: picture.Shortened(picture.Style(picture.LabelSize, picture.Black), name(pair), room)})
		}
	}
	return ticks
}

// plot draws the marks of a strip; pair i is at x = i.
func (clock SkewedClock) plot(c draw.Canvas, p *picture.Plot) {
	radius := 3.5 * picture.Pixel
	if len(clock.Pairs) > 100 {
		radius = 2 * picture.Pixel
	}
	x, y := p.Transforms(&c)
	c.StrokeLine2(picture.Stroke(picture.Grey, picture.Pixel), c.Min.X, y(0), c.Max.X, y(0))
	for i, pair := range clock.Pairs {
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
