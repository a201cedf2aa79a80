package picture

import (
	"image/color"
	"math"
	"strings"

	"github.com/timebench/timebench/internal/show/words"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Row is a name with bars, an interval above the bars, points above the interval, and a text on the right of them
// all.
type Row struct {
	Name     string
	Bars     []Bar
	Interval *Bar
	Points   []Point
	Text     string
	// Group is the group of the row; a line divides it from another group.
	Group string
}

// A Bar is a part of a row on the x axis, with a text inside if it fits.
type Bar struct {
	From, To float64
	Color    color.RGBA
	Text     string
}

// A Point is a mark of a row. Lane is the number of rows by which it is moved up.
type Point struct {
	At    float64
	Glyph draw.GlyphStyle
	Lane  float64
}

// A Mark is a duration in ns with a name, drawn as a vertical line through all rows.
type Mark struct {
	Name    string
	ValueNS float64
}

// Rows are a picture with a row for each name.
type Rows struct {
	// Rows are the rows from the bottom to the top.
	Rows   []Row
	Legend []Entry
	Marks  []Mark
	XLabel string
	// Min and Max are the ends of a linear axis with these Ticks. Without Ticks the axis is logarithmic and includes
	// all values, with labels of Word; durations in ns if Word is nil.
	Min, Max float64
	Ticks    Ticks
	Word     func(float64) string
	// Middle is the place of a vertical line; 0 to leave it out.
	Middle float64
	// above is whether the names and texts are above the rows. The names begin at left.
	above bool
	left  vg.Length
}

// Height returns the height of the picture; 0 without rows. On a telephone the names are above the rows.
func (r Rows) Height(width vg.Length) vg.Length {
	row := 24 * Pixel
	if IsNarrow(width) {
		row = 42 * Pixel
	}
	if len(r.Rows) == 0 {
		return 0
	}
	return vg.Length(len(r.Rows)+1)*row + 130*Pixel + r.legend(draw.Canvas{}, width-2*Margin)
}

// textGap is the distance of a text from the last mark of its row. lineAbove is the distance of the middle of a text
// from the row below it: the text is as far from the bars of this row as from the bars of the next.
const (
	textGap   = 10 * Pixel
	lineAbove = 21 * Pixel
)

// Draw draws the rows. The names and the texts have columns of their own beside the plot, or on a telephone
// a line above each row.
func (r Rows) Draw(c draw.Canvas) {
	text := Style(LabelSize, Black)
	low, high, widest := math.Inf(1), 0.0, vg.Length(0)
	names := make([]Tick, len(r.Rows))
	has := func(values ...float64) {
		for _, v := range values {
			if v > 0 {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	for i, row := range r.Rows {
		names[i] = Tick{Value: float64(i), Label: shortenedID(text, row.Name, MostNameWidth)}
		widest = max(widest, text.Width(Shortened(text, row.Text, MostNameWidth)))
		for _, point := range row.Points {
			has(point.At)
		}
		for _, bar := range row.Bars {
			has(bar.From, bar.To)
		}
		if row.Interval != nil {
			has(row.Interval.From, row.Interval.To)
		}
	}
	for _, m := range r.Marks {
		has(m.ValueNS)
	}
	has(r.Middle)
	p := Plot{X: Axis{Min: r.Min, Max: r.Max, Ticks: r.Ticks},
		Y: Axis{Min: -0.6, Max: float64(len(r.Rows)) - 0.4, Ticks: At(names), NoMarks: true}}
	if r.Ticks == nil {
		if high == 0 {
			low, high = 1, 1
		}
		word := r.Word
		if word == nil {
			word = words.Duration
		}
		p.X = LogAxis([]float64{low, high}, 1.5, LogTicks(word))
	}
	r.above, r.left = IsNarrow(c.Size().X), c.Min.X
	c = draw.Crop(c, 0, 0, 0, -r.legend(c, c.Size().X))
	if r.above {
		p.withoutY = true
		p.Y.Max += 0.3
	} else {
		c = draw.Crop(c, 0, -(widest + textGap), 0, 0)
	}
	DrawPlot(c, &p, r.XLabel, "", r.plot)
}

// plot draws the marks and the rows: row i is at height i. Values beyond the axis are drawn at its end.
func (r Rows) plot(c draw.Canvas, p *Plot) {
	across, y := p.Transforms(&c)
	x := func(value float64) vg.Length { return across(min(max(value, p.X.Min), p.X.Max)) }
	text := Style(LabelSize, Black)
	text.YAlign = draw.YCenter
	for i, m := range r.Marks {
		r.upright(c, markStyle(i), x(m.ValueNS), y)
	}
	if r.Middle != 0 {
		r.upright(c, Stroke(Grey, Pixel), x(r.Middle), y)
	}
	for i, row := range r.Rows {
		if i > 0 && row.Group != r.Rows[i-1].Group {
			r.divide(c, y(float64(i)-0.5))
		}
		at, end := y(float64(i)), c.Min.X
		for _, point := range row.Points {
			end = max(end, x(point.At))
		}
		c.StrokeLine2(Stroke(Light, Pixel), c.Min.X, at, end, at)
		for k, bar := range row.Bars {
			const half = 8 * Pixel
			from, to := x(bar.From), x(bar.To)
			end = max(end, to)
			if k < len(row.Bars)-1 && to-from > 3*Pixel {
				to -= Pixel // parts are apart in a grey print too
			}
			c.FillPolygon(bar.Color, []vg.Point{{X: from, Y: at - half}, {X: to, Y: at - half}, {X: to, Y: at + half},
				{X: from, Y: at + half}})
			if inside := text; inside.Width(bar.Text) < to-from {
				inside.XAlign, inside.Color = draw.XCenter, Inside
				c.FillText(inside, vg.Point{X: (from + to) / 2, Y: at + 2*Pixel}, bar.Text)
			}
		}
		if row.Interval != nil {
			from, to, line := x(row.Interval.From), x(row.Interval.To), Stroke(row.Interval.Color, 2*Pixel)
			end = max(end, to)
			c.StrokeLine2(line, from, at, to, at)
			for _, edge := range []vg.Length{from, to} {
				c.StrokeLine2(line, edge, at-5*Pixel, edge, at+5*Pixel)
			}
		}
		for _, point := range row.Points {
			c.DrawGlyph(point.Glyph, vg.Point{X: x(point.At), Y: y(float64(i) + point.Lane)})
		}
		if !r.above {
			name := Shortened(text, row.Text, MostNameWidth)
			if len(r.Marks) > 0 { // no mark crosses a text
				left, right, half := end+textGap-2*Pixel, end+textGap+text.Width(name)+2*Pixel, LabelSize/2
				c.FillPolygon(White, []vg.Point{{X: left, Y: at - half}, {X: right, Y: at - half},
					{X: right, Y: at + half}, {X: left, Y: at + half}})
			}
			c.FillText(text, vg.Point{X: end + textGap, Y: at + 2*Pixel}, name)
			continue
		}
		right := text
		right.XAlign = draw.XRight
		beside := Shortened(text, row.Text, c.Size().X/2)
		c.FillText(right, vg.Point{X: c.Max.X, Y: at + lineAbove}, beside)
		c.FillText(text, vg.Point{X: c.Min.X, Y: at + lineAbove}, shortenedID(text, row.Name,
			c.Size().X-text.Width(beside)-textGap))
	}
}

// divide draws a line between two rows and their names.
func (r Rows) divide(c draw.Canvas, y vg.Length) {
	line := Stroke(Grey, 0.5*Pixel)
	line.Dashes = []vg.Length{Pixel, 3 * Pixel}
	if r.above { // the names are above their rows
		y -= 4 * Pixel
	}
	c.StrokeLine2(line, r.left, y, c.Max.X, y)
}

// upright draws a vertical line through all rows, but not through names above them.
func (r Rows) upright(c draw.Canvas, line draw.LineStyle, x vg.Length, y func(float64) vg.Length) {
	if !r.above {
		c.StrokeLine2(line, x, c.Min.Y, x, c.Max.Y)
		return
	}
	const half = 9 * Pixel
	for i := range r.Rows {
		c.StrokeLine2(line, x, y(float64(i))-half, x, y(float64(i))+half)
	}
}

// shortenedID returns an id cut to a maximum width, with the whole path after its @ if possible.
func shortenedID(s draw.TextStyle, id string, most vg.Length) string {
	at := strings.LastIndexByte(id, '@')
	if at < 0 || s.Width(Bounded(id[at:])) > most/2 {
		return Shortened(s, id, most)
	}
	return Shortened(s, id[:at], most-s.Width(id[at:])) + id[at:]
}

// An Entry is one mark of a legend.
type Entry struct {
	Look Look
	Name string
}

// legend draws the marks of the legend and the vertical lines, with their names, at the top of a canvas, in as many
// lines as a width needs, and returns their height. It draws nothing on the zero canvas.
func (r Rows) legend(c draw.Canvas, width vg.Length) vg.Length {
	at := vg.Point{Y: c.Max.Y + 14*Pixel}
	sample := func(text draw.TextStyle, name string, room vg.Length, mark func(at vg.Point)) {
		text.YAlign = draw.YCenter
		wide := room + text.Width(name)
		if at.X+wide > width && at.X > 0 {
			at = vg.Point{Y: at.Y - LineApart}
		}
		if place := (vg.Point{X: c.Min.X + at.X, Y: at.Y}); c.Canvas != nil {
			mark(place)
			c.FillText(text, vg.Point{X: place.X + room, Y: at.Y}, name)
		}
		at.X += wide + 24*Pixel
	}
	if len(r.Legend)+len(r.Marks) == 0 {
		return 0
	}
	at.Y -= 18 * Pixel
	for _, e := range r.Legend {
		sample(Style(LabelSize, Black), e.Name, 16*Pixel, func(at vg.Point) {
			c.DrawGlyph(e.Look.Glyph(5*Pixel), vg.Point{X: at.X + 5*Pixel, Y: at.Y})
		})
	}
	if at.X > 0 && len(r.Marks) > 0 {
		at = vg.Point{Y: at.Y - 22*Pixel}
	}
	for i, m := range r.Marks {
		sample(Style(LabelSize, Grey), m.Name+" "+words.Duration(m.ValueNS), 32*Pixel, func(at vg.Point) {
			c.StrokeLine2(markStyle(i), at.X, at.Y, at.X+24*Pixel, at.Y)
		})
	}
	return c.Max.Y + 18*Pixel - at.Y
}

func markStyle(i int) draw.LineStyle {
	line := Stroke(Grey, Pixel)
	line.Dashes = Dashes[1+i%(len(Dashes)-1)]
	return line
}
