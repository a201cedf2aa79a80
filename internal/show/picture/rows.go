package picture

import (
	"github.com/timebench/timebench/internal/show/words"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Row is the median of durations in ns with its confidence interval, beside a name.
type Row struct {
	Name     string
	Look     Look
	MedianNS float64
	// LowNS and HighNS are 0 if there is no interval.
	LowNS, HighNS float64
	// OtherNS is drawn as the hollow mark of the Look; 0 for none.
	OtherNS float64
}

// A Mark is a duration in ns with a name, drawn as a vertical line through all rows.
type Mark struct {
	Name    string
	ValueNS float64
}

// Rows are durations on a logarithmic axis, a row for each.
type Rows struct {
	// Rows are those from the bottom to the top.
	Rows   []Row
	Marks  []Mark
	XLabel string
}

// RowsHeight returns the height of a picture with so many rows.
func RowsHeight(rows int) vg.Length { return vg.Length(rows+1)*RowHeight + 190*Pixel }

// Draw draws the rows.
func (r Rows) Draw(c draw.Canvas) {
	p := NewPlot()
	var values []float64
	room := 2.0 // for the figure beside the last mark
	names := make(plot.ConstantTicks, len(r.Rows))
	for i, row := range r.Rows {
		values = append(values, row.MedianNS, max(row.HighNS, row.MedianNS))
		if row.OtherNS > 0 {
			values = append(values, row.OtherNS)
			room = 5 // two figures beside the last mark
		}
		names[i] = plot.Tick{Value: float64(i), Label: Shortened(Style(LabelSize, Black), row.Name, MostNameWidth)}
	}
	for _, m := range r.Marks {
		values = append(values, m.ValueNS)
	}
	p.X.Min, p.X.Max = Around(values, 1.5)
	p.X.Max *= room
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, LogTicks{Word: words.Duration}
	p.Y.Min, p.Y.Max = -0.6, float64(len(r.Rows))-0.4
	p.Y.Tick.Marker = names
	p.Y.Tick.Length = 0
	p.Add(r)
	DrawPlot(c, p, r.XLabel, "")
}

// Plot draws the marks and the rows: row i is at height i.
func (r Rows) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	text := Style(LabelSize, Black)
	text.YAlign = draw.YCenter
	for i, m := range r.Marks {
		line := Stroke(Grey, Pixel)
		line.Dashes = Dashes[1+i%(len(Dashes)-1)]
		c.StrokeLine2(line, x(m.ValueNS), c.Min.Y, x(m.ValueNS), c.Max.Y)
	}
	for i, row := range r.Rows {
		at := y(float64(i))
		middle := x(row.MedianNS)
		end := middle
		c.StrokeLine2(Stroke(Light, Pixel), c.Min.X, at, middle, at)
		if row.HighNS > 0 {
			end = x(row.HighNS)
			c.StrokeLine2(Stroke(row.Look.Color, 2*Pixel), x(row.LowNS), at, end, at)
			for _, edge := range []vg.Length{x(row.LowNS), end} {
				c.StrokeLine2(Stroke(row.Look.Color, 2*Pixel), edge, at-5*Pixel, edge, at+5*Pixel)
			}
		}
		c.DrawGlyph(row.Look.Glyph(4.5*Pixel), vg.Point{X: middle, Y: at})
		figure := words.Duration(row.MedianNS)
		if row.OtherNS > 0 {
			other := row.Look.Glyph(4.5 * Pixel)
			other.Shape = row.Look.Hollow
			end = max(end, x(row.OtherNS))
			c.StrokeLine2(Stroke(Light, Pixel), middle+6*Pixel, at, x(row.OtherNS)-6*Pixel, at)
			c.DrawGlyph(other, vg.Point{X: x(row.OtherNS), Y: at})
			figure += " → " + words.Duration(row.OtherNS)
		}
		c.FillText(text, vg.Point{X: end + 10*Pixel, Y: at + 2*Pixel}, figure)
	}
}

// LegendOfMarks draws the names of vertical lines at the top of a canvas and returns the rest.
func LegendOfMarks(c draw.Canvas, marks []Mark) draw.Canvas {
	if len(marks) == 0 {
		return c
	}
	text := Style(LabelSize, Grey)
	text.YAlign = draw.YCenter
	at := vg.Point{X: c.Min.X, Y: c.Max.Y - 4*Pixel}
	for i, m := range marks {
		line := Stroke(Grey, Pixel)
		line.Dashes = Dashes[1+i%(len(Dashes)-1)]
		c.StrokeLine2(line, at.X, at.Y, at.X+24*Pixel, at.Y)
		name := m.Name + " " + words.Duration(m.ValueNS)
		c.FillText(text, vg.Point{X: at.X + 32*Pixel, Y: at.Y}, name)
		at.X += 32*Pixel + text.Width(name) + 24*Pixel
	}
	return draw.Crop(c, 0, 0, 0, -22*Pixel)
}
