package picture

import (
	"math"
	"sync"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font/opentype"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Plot is two axes, and the data between them. gonum.org/v1/plot has one too, with twelve fonts of 4 MB that every
// program with that package contains and reads at its start.
type Plot struct {
	X, Y Axis
	// withoutY is whether there is no y axis.
	withoutY bool
}

// An Axis has a range and ticks.
type Axis struct {
	Min, Max float64
	// Log is whether the axis is logarithmic.
	Log   bool
	Ticks Ticks
	// NoMarks is whether the axis has labels only.
	NoMarks bool
}

// Ticks returns the ticks of an axis from its range.
type Ticks func(low, high float64) []Tick

// A Tick is a mark on an axis. Without a label it is short.
type Tick struct {
	Value float64
	Label string
}

// At returns these ticks for any range.
func At(ticks []Tick) Ticks { return func(_, _ float64) []Tick { return ticks } }

// The length of marks, their distance from labels, the width of lines, and the distance of the axis from the data.
const (
	markLength = 8 * vg.Length(1)
	labelGap   = 3 * vg.Length(1)
	axisWidth  = 0.5 * vg.Length(1)
	padding    = 5 * vg.Length(1)
)

// norm returns the position of a value on the axis: 0 for its minimum, 1 for its maximum.
func (a *Axis) norm(value float64) float64 {
	if a.Log {
		return math.Log(value/a.Min) / math.Log(a.Max/a.Min)
	}
	return (value - a.Min) / (a.Max - a.Min)
}

func (a *Axis) within(ticks []Tick) (some []Tick) {
	const rounding = 1e-9
	for _, t := range ticks {
		if at := a.norm(t.Value); at >= -rounding && at <= 1+rounding {
			some = append(some, t)
		}
	}
	return some
}

func (a *Axis) marks() vg.Length {
	if a.NoMarks {
		return 0
	}
	return markLength
}

// Transforms returns the places of values on the canvas of the data.
func (p *Plot) Transforms(data *draw.Canvas) (x, y func(float64) vg.Length) {
	return func(value float64) vg.Length { return data.X(p.X.norm(value)) },
		func(value float64) vg.Length { return data.Y(p.Y.norm(value)) }
}

// Draw draws the axes, calls plot to draw between them, and returns the canvas of the data, which plot gets too. It
// leaves out a label of the x axis that would touch an earlier one.
func (p *Plot) Draw(c draw.Canvas, plot func(data draw.Canvas, p *Plot)) draw.Canvas {
	under, beside := Style(LabelSize, Black), Style(LabelSize, Black)
	under.XAlign, under.YAlign = draw.XCenter, draw.YTop
	beside.XAlign, beside.YAlign = draw.XRight, draw.YCenter
	var yTicks []Tick
	if !p.withoutY {
		yTicks = p.Y.within(p.Y.Ticks(p.Y.Min, p.Y.Max))
	}
	xTicks := p.X.within(p.X.Ticks(p.X.Min, p.X.Max))

	// The axes take the room that their labels need. The last label of each may extend beyond the plot.
	widest := vg.Length(0)
	for _, t := range yTicks {
		widest = max(widest, beside.Width(t.Label))
	}
	low := c.Min.Y + under.Height("0")
	left := c.Min.X
	if widest > 0 {
		left += widest + labelGap
	}
	data := draw.Crop(c, left-c.Min.X+p.Y.marks()+padding, 0, low-c.Min.Y+p.X.marks()+padding, 0)
	if p.withoutY {
		data.Min.X = c.Min.X + padding
	}
	width, height := data.Size().X, data.Size().Y
	for _, t := range xTicks {
		if at := vg.Length(p.X.norm(t.Value)); at > 0 {
			width = min(width, (c.Max.X-under.Width(t.Label)/2-data.Min.X)/at)
		}
	}
	for _, t := range yTicks {
		if at := vg.Length(p.Y.norm(t.Value)); at > 0 && t.Label != "" {
			height = min(height, (c.Max.Y-beside.Height(t.Label)/2-data.Min.Y)/at)
		}
	}
	data.Max = vg.Point{X: data.Min.X + width, Y: data.Min.Y + height}
	x, y := p.Transforms(&data)

	line := Stroke(Grey, axisWidth)
	length := func(t Tick, of vg.Length) vg.Length {
		if t.Label == "" {
			return of / 2
		}
		return of
	}
	for _, t := range apart(xTicks, under, x) {
		c.FillText(under, vg.Point{X: x(t.Value), Y: low + under.FontExtents().Descent}, t.Label)
		c.StrokeLine2(line, x(t.Value), low+p.X.marks()-length(t, p.X.marks()), x(t.Value), low+p.X.marks())
	}
	c.StrokeLine2(line, data.Min.X, low+p.X.marks(), data.Max.X, low+p.X.marks())
	if !p.withoutY {
		right := left + p.Y.marks()
		for _, t := range yTicks {
			c.FillText(beside, vg.Point{X: left - labelGap, Y: y(t.Value) + beside.FontExtents().Descent}, t.Label)
			c.StrokeLine2(line, right-length(t, p.Y.marks()), y(t.Value), right, y(t.Value))
		}
		c.StrokeLine2(line, right, data.Min.Y, right, data.Max.Y)
	}
	plot(data, p)
	return data
}

// fonts has the font of the pictures, in one weight: another is 415 kB of the program.
var fonts = sync.OnceValue(func() text.Handler {
	face, err := opentype.Parse(liberationsansregular.TTF)
	if err != nil {
		panic(err) // it is a part of the program
	}
	return text.Plain{Fonts: font.NewCache(font.Collection{
		{Font: font.Font{Typeface: "Liberation", Variant: "Sans"}, Face: face},
	})}
})
