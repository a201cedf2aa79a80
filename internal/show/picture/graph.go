package picture

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// LineApart is the minimum distance between the labels of lines.
const LineApart = 16 * Pixel

// A Line is the values of one clock and their positions on the x axis.
type Line struct {
	Name   string
	Style  draw.LineStyle
	Mark   draw.GlyphStyle
	At     []float64 // on the x axis, in ascending order
	Values []float64
}

// LineOf returns the line of a clock, without values. i is the index of the clock among those
// of its path and selects the dashes.
func LineOf(id, path string, i int) Line {
	look := LookOf(path)
	l := Line{Name: id, Mark: look.Glyph(3 * Pixel), Style: Stroke(look.Color, 1.6*Pixel)}
	l.Style.Dashes = Dashes[i%len(Dashes)]
	return l
}

// PathOf returns the path in the id of a clock: vdso in CLOCK_MONOTONIC@vdso.
func PathOf(id string) string {
	_, path, _ := strings.Cut(id, "@")
	return path
}

// A Graph is lines on two logarithmic axes, with their names beside the plot.
type Graph struct {
	Lines          []Line
	XLabel, YLabel string
	XTicks         plot.Ticker
	Word           func(float64) string // label of a value
	// CPUs is the number of CPUs, marked by a vertical line; 0 draws no line.
	CPUs int
}

// Draw draws the graph and the names of its lines.
func (g Graph) Draw(c draw.Canvas) {
	p := NewPlot()
	var values, places []float64
	for _, l := range g.Lines {
		values = append(values, l.Values...)
		places = append(places, l.At...)
	}
	p.Y.Min, p.Y.Max = Around(values, 1.4)
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, LogTicks{g.Word}
	p.X.Min, p.X.Max = Around(places, 1.06)
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, g.XTicks
	p.Add(lineMarks{g.Lines, g.CPUs})

	text := Style(LabelSize, Black)
	widest := vg.Length(0)
	for _, l := range g.Lines {
		widest = max(widest, text.Width(Shortened(text, l.Name, MostNameWidth)))
	}
	data := DrawPlot(draw.Crop(c, 0, -(widest+Leader), 0, 0), p, g.XLabel, g.YLabel)
	x, y := p.Transforms(&data)
	NameEnds(c, data, g.Lines, x, y)
}

// MostNameWidth is the maximum width of a name. The names of timebench's own clocks all fit.
const MostNameWidth = 300 * Pixel

// Leader is the width between the end of a line and its name.
const Leader = 34 * Pixel

// NameEnds writes the names of lines beside the plot, each as close to the end of its line as
// the others allow. data is the canvas of the plot's data.
func NameEnds(c, data draw.Canvas, lines []Line, x, y func(float64) vg.Length) {
	text := Style(LabelSize, Black)
	ends := slices.Clone(lines)
	last := func(l Line) float64 { return l.Values[len(l.Values)-1] }
	slices.SortStableFunc(ends, func(a, b Line) int { return cmp.Compare(last(a), last(b)) })
	wanted := make([]vg.Length, len(ends))
	for i, l := range ends {
		wanted[i] = y(last(l))
	}
	text.YAlign = draw.YCenter
	for i, at := range spread(wanted, LineApart, data.Min.Y, data.Max.Y) {
		l := ends[i]
		text.Color = l.Style.Color
		from := x(l.At[len(l.At)-1])
		c.StrokeLines(Stroke(l.Style.Color, 0.7*Pixel), []vg.Point{
			{X: from + 4*Pixel, Y: wanted[i]}, {X: data.Max.X + 6*Pixel, Y: wanted[i]},
			{X: data.Max.X + Leader - 10*Pixel, Y: at}, {X: data.Max.X + Leader - 5*Pixel, Y: at},
		})
		c.FillText(text, vg.Point{X: data.Max.X + Leader, Y: at}, Shortened(text, l.Name, MostNameWidth))
	}
}

// lineMarks draws the lines of a Graph.
type lineMarks struct {
	lines []Line
	cpus  int
}

func (marks lineMarks) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	if at := float64(marks.cpus); at > 0 && at >= p.X.Min && at <= p.X.Max {
		edge := Stroke(Grey, Pixel)
		edge.Dashes = []vg.Length{2 * Pixel, 3 * Pixel}
		c.StrokeLine2(edge, x(at), c.Min.Y, x(at), c.Max.Y)
		text := Style(LabelSize, Grey)
		text.YAlign = draw.YTop
		name := fmt.Sprintf(" %d CPUs usable", marks.cpus)
		if marks.cpus == 1 {
			name = " 1 CPU usable"
		}
		if x(at)+text.Width(name) > c.Max.X {
			text.XAlign, name = draw.XRight, name+" "
		}
		c.FillText(text, vg.Point{X: x(at), Y: c.Max.Y}, name)
	}
	for _, l := range marks.lines {
		points := make([]vg.Point, len(l.Values))
		for i := range points {
			points[i] = vg.Point{X: x(l.At[i]), Y: y(l.Values[i])}
		}
		c.StrokeLines(l.Style, points)
		for _, point := range points {
			if l.Mark.Shape != nil {
				c.DrawGlyph(l.Mark, point)
			}
		}
	}
}

// spread returns positions between low and high for labels on a vertical line, with a distance
// of apart or more between neighbours. Each is as close as possible to its wanted position.
// wanted and the result are in ascending order; labels that do not fit are spread evenly.
func spread(wanted []vg.Length, apart, low, high vg.Length) []vg.Length {
	n := len(wanted)
	if n == 0 {
		return nil
	}
	if needed := apart * vg.Length(n-1); needed > high-low {
		apart = (high - low) / vg.Length(n-1)
	}
	// With i·apart subtracted, "at least apart" becomes "in order". Neighbours out of order
	// are pooled at their mean, which is the closest that all can be.
	type pool struct {
		sum   vg.Length
		count int
	}
	var pools []pool
	mean := func(p pool) vg.Length { return p.sum / vg.Length(p.count) }
	for i, want := range wanted {
		pools = append(pools, pool{want - vg.Length(i)*apart, 1})
		for last := len(pools) - 1; last > 0 && mean(pools[last-1]) > mean(pools[last]); last-- {
			pools[last-1].sum += pools[last].sum
			pools[last-1].count += pools[last].count
			pools = pools[:last]
		}
	}
	placed := make([]vg.Length, 0, n)
	ceiling := high - apart*vg.Length(n-1)
	for _, p := range pools {
		at := min(max(mean(p), low), ceiling)
		for range p.count {
			placed = append(placed, at+apart*vg.Length(len(placed)))
		}
	}
	return placed
}
