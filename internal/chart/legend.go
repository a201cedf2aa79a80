package chart

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// entry is one mark of a legend.
type entry struct {
	look look
	name string
}

// legendOf writes marks with their names at the top of a canvas, and returns the
// rest.
func legendOf(c draw.Canvas, entries []entry) draw.Canvas {
	text := style(labelSize, black)
	text.YAlign = draw.YCenter
	at := vg.Point{X: c.Min.X, Y: c.Max.Y - 4*pixel}
	for _, e := range entries {
		c.DrawGlyph(e.look.glyph(5*pixel), vg.Point{X: at.X + 5*pixel, Y: at.Y})
		c.FillText(text, vg.Point{X: at.X + 16*pixel, Y: at.Y}, e.name)
		at.X += 16*pixel + text.Width(e.name) + 24*pixel
	}
	return draw.Crop(c, 0, 0, 0, -22*pixel)
}
