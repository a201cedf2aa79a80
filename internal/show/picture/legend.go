package picture

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// An Entry is one mark of a legend.
type Entry struct {
	Look Look
	Name string
}

// LegendOf draws marks and their names at the top of a canvas, in as many lines as they need, and returns
// the remaining canvas.
func LegendOf(c draw.Canvas, entries []Entry) draw.Canvas {
	text := Style(LabelSize, Black)
	text.YAlign = draw.YCenter
	at := vg.Point{X: c.Min.X, Y: c.Max.Y - 4*Pixel}
	for _, e := range entries {
		if end := at.X + 16*Pixel + text.Width(e.Name); end > c.Max.X && at.X > c.Min.X {
			at = vg.Point{X: c.Min.X, Y: at.Y - LineApart}
		}
		c.DrawGlyph(e.Look.Glyph(5*Pixel), vg.Point{X: at.X + 5*Pixel, Y: at.Y})
		c.FillText(text, vg.Point{X: at.X + 16*Pixel, Y: at.Y}, e.Name)
		at.X += 16*Pixel + text.Width(e.Name) + 24*Pixel
	}
	return draw.Crop(c, 0, 0, 0, at.Y-c.Max.Y-18*Pixel)
}
