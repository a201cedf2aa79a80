package picture

import (
	"github.com/timebench/timebench/internal/show/words"
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
	var names []string
	for _, e := range entries {
		names = append(names, e.Name)
	}
	return legend(c, Style(LabelSize, Black), names, 16*Pixel, func(i int, at vg.Point) {
		c.DrawGlyph(entries[i].Look.Glyph(5*Pixel), vg.Point{X: at.X + 5*Pixel, Y: at.Y})
	})
}

// LegendOfMarks draws the names of vertical lines as [LegendOf] does.
func LegendOfMarks(c draw.Canvas, marks []Mark) draw.Canvas {
	if len(marks) == 0 {
		return c
	}
	var names []string
	for _, m := range marks {
		names = append(names, m.Name+" "+words.Duration(m.ValueNS))
	}
	return legend(c, Style(LabelSize, Grey), names, 32*Pixel, func(i int, at vg.Point) {
		c.StrokeLine2(markStyle(i), at.X, at.Y, at.X+24*Pixel, at.Y)
	})
}

// legend draws a sample for each name, and the name behind it.
func legend(c draw.Canvas, text draw.TextStyle, names []string, sample vg.Length, drawSample func(i int, at vg.Point)) draw.Canvas {
	text.YAlign = draw.YCenter
	at := vg.Point{X: c.Min.X, Y: c.Max.Y - 4*Pixel}
	for i, name := range names {
		width := sample + text.Width(name)
		if at.X+width > c.Max.X && at.X > c.Min.X {
			at = vg.Point{X: c.Min.X, Y: at.Y - LineApart}
		}
		drawSample(i, at)
		c.FillText(text, vg.Point{X: at.X + sample, Y: at.Y}, name)
		at.X += width + 24*Pixel
	}
	return draw.Crop(c, 0, 0, 0, at.Y-c.Max.Y-18*Pixel)
}

// markStyle returns the style of the i-th vertical line.
func markStyle(i int) draw.LineStyle {
	line := Stroke(Grey, Pixel)
	line.Dashes = Dashes[1+i%(len(Dashes)-1)]
	return line
}
