package picture

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/show/words"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// LineApart is the minimum distance between the labels of lines.
const LineApart = 16 * Pixel

// A Line is the values of a clock and their positions on the x axis.
type Line struct {
	Name   string
	Style  draw.LineStyle
	Mark   draw.GlyphStyle
	At     []float64 // on the x axis, in ascending order
	Values []float64
	// Doubtful are the values whose marks are hollow; none without an outline.
	Doubtful []bool
	Outline  draw.GlyphDrawer
	// Aside is whether the line is grey where others are not.
	Aside bool
	// Band are the other lines that this line represents. They are drawn thin, and named below it.
	Band []Line
}

// Banded returns the lines of clocks. A clock that does not differ from an earlier clock of its path is in that clock's
// band, unless only one of them is aside.
func Banded[T any](clocks []T, line func(T) Line, differ func(a, b T) bool) []Line {
	var drawn []Line
	var first []T
	ofPath := map[string]int{}
	for _, clock := range clocks {
		l := line(clock)
		path := PathOf(l.Name)
		i := slices.IndexFunc(first, func(other T) bool {
			o := line(other)
			return PathOf(o.Name) == path && o.Aside == l.Aside && !differ(clock, other)
		})
		if i >= 0 {
			drawn[i].Band = append(drawn[i].Band, l)
			continue
		}
		l.Style.Dashes = Dashes[ofPath[path]%len(Dashes)]
		ofPath[path]++
		first, drawn = append(first, clock), append(drawn, l)
	}
	return setAside(drawn)
}

// setAside makes the lines that are aside grey, if others are not.
func setAside(lines []Line) []Line {
	if !slices.ContainsFunc(lines, func(l Line) bool { return !l.Aside }) {
		return lines
	}
	for i := range lines {
		if l := &lines[i]; l.Aside {
			l.Style.Color, l.Style.Width, l.Mark.Color = Grey, Pixel, Grey
		}
	}
	return lines
}

// LineOf returns the line of a clock, without values.
func LineOf(id, path string) Line {
	look := LookOf(path)
	return Line{Name: id, Mark: look.Glyph(3.5 * Pixel), Outline: look.Hollow, Style: Stroke(look.Color, 1.6*Pixel)}
}

// PathOf returns the path in the id of a clock: vdso in CLOCK_MONOTONIC@vdso.
func PathOf(id string) string {
	_, path, _ := strings.Cut(id, "@")
	return path
}

func (l Line) names() []string {
	all := []string{l.Name}
	for _, member := range l.Band {
		all = append(all, member.Name)
	}
	return all
}

func (l Line) last() float64 { return l.Values[len(l.Values)-1] }

// A Graph is lines on two logarithmic axes, or on two axes of nanoseconds through zero, with their names beside the
// plot.
type Graph struct {
	Lines []Line
	// Ideal is a line above all others, with its name at its end. It is left out without values.
	Ideal          Line
	XLabel, YLabel string
	XTicks         Ticks
	Word           func(float64) string // label of a value
	// Shade is the place from which on the graph is grey, and ShadeName its name; 0 if it has no grey part.
	Shade     float64
	ShadeName string
	Linear    bool
}

// markApart is the minimum distance of the marks of a line.
const markApart = 8 * Pixel

// Draw draws the graph and the names of its lines.
func (g Graph) Draw(c draw.Canvas) {
	above := vg.Length(0) // for the texts at the upper edge
	if g.beyond() {
		above += LabelSize
	}
	if len(g.Ideal.Values) > 0 {
		above += LabelSize
	}
	var p Plot
	values, places := g.Ideal.Values, g.Ideal.At
	text, widest := Style(LabelSize, Black), vg.Length(0)
	for _, l := range g.Lines {
		values, places = append(values, l.Values...), append(places, l.At...)
		for _, member := range l.Band {
			values = append(values, member.Values...)
		}
		for _, name := range l.names() {
			widest = max(widest, text.Width(Shortened(text, name, MostNameWidth)))
		}
	}
	whole, isNarrow := c, IsNarrow(c.Size().X)
	if isNarrow {
		c = draw.Crop(c, 0, 0, keyHeight(g.Lines), 0)
	} else {
		c = draw.Crop(c, 0, -(widest + Leader), 0, 0)
	}
	if g.Linear {
		p.X, p.Y = Axis{Max: max(slices.Max(places), 1), Ticks: offsetTicks}, OffsetAxis(values)
		p.Y.Max += (p.Y.Max - p.Y.Min) * float64(above/c.Size().Y)
	} else {
		p.X, p.Y = LogAxis(places, 1.06, g.XTicks), LogAxis(values, 1.4, LogTicks(g.Word))
		p.Y.Max *= math.Pow(p.Y.Max/p.Y.Min, float64(above/c.Size().Y))
	}
	data := DrawPlot(c, &p, g.XLabel, g.YLabel, g.plot)
	if isNarrow {
		drawKey(whole, g.Lines)
		return
	}
	x, y := p.Transforms(&data)
	nameEnds(c, data, g.Lines, x, y)
}

// Height returns the height of the graph with all names; 0 without lines.
func (g Graph) Height(width vg.Length) vg.Length {
	names := 0
	for _, l := range g.Lines {
		names += len(l.names())
	}
	switch {
	case names == 0:
		return 0
	case IsNarrow(width):
		return 420*Pixel + vg.Length(names)*LineApart
	}
	return max(560*Pixel, vg.Length(names+1)*LineApart+170*Pixel)
}

func keyHeight(lines []Line) vg.Length {
	height := 8 * Pixel
	for _, l := range lines {
		height += vg.Length(len(l.names())) * LineApart
	}
	return height
}

// drawKey writes the names of lines at the lower edge of a canvas, in the order of the ends of the lines.
func drawKey(c draw.Canvas, lines []Line) {
	const sample = 28 * Pixel
	ends := slices.Clone(lines)
	slices.SortStableFunc(ends, func(a, b Line) int { return cmp.Compare(b.last(), a.last()) })
	at := c.Min.Y + keyHeight(lines) - LineApart
	for _, l := range ends {
		text := Style(LabelSize, l.Style.Color)
		text.YAlign = draw.YCenter
		names := l.names()
		low := at - vg.Length(len(names)-1)*LineApart
		c.StrokeLine2(l.Style, c.Min.X, (at+low)/2, c.Min.X+sample, (at+low)/2)
		c.StrokeLine2(Stroke(l.Style.Color, 0.7*Pixel), c.Min.X+sample, low, c.Min.X+sample, at)
		if l.Mark.Shape != nil {
			c.DrawGlyph(l.Mark, vg.Point{X: c.Min.X + sample/2, Y: (at + low) / 2})
		}
		for _, name := range names {
			c.FillText(text, vg.Point{X: c.Min.X + sample + 6*Pixel, Y: at},
				Shortened(text, name, c.Size().X-sample-6*Pixel))
			at -= LineApart
		}
	}
}

func (g Graph) beyond() bool {
	return g.Shade > 0 && slices.ContainsFunc(g.Lines, func(l Line) bool { return slices.Max(l.At) > g.Shade })
}

// MostNameWidth is the maximum width of a name. The names of the catalogues all fit.
const MostNameWidth = 360 * Pixel

// Leader is the width between the end of a line and its name.
const Leader = 34 * Pixel

// nameEnds writes the names of lines beside the plot, each as close to the end of its line as the others allow. If a
// line ends early, the connection to its name is dotted, to distinguish it from the line. The names of a band are below
// each other, with a bracket. data is the canvas of the plot's data.
func nameEnds(c, data draw.Canvas, lines []Line, x, y func(float64) vg.Length) {
	ends := slices.Clone(lines)
	slices.SortStableFunc(ends, func(a, b Line) int { return cmp.Compare(a.last(), b.last()) })
	var wanted []vg.Length
	farthest := data.Min.X
	for _, l := range ends {
		farthest = max(farthest, x(l.At[len(l.At)-1]))
		wanted = append(wanted, slices.Repeat([]vg.Length{y(l.last())}, len(l.names()))...)
	}
	places := spread(wanted, LineApart, data.Min.Y, data.Max.Y)
	for _, l := range ends {
		names, end, from := l.names(), y(l.last()), x(l.At[len(l.At)-1])
		own := places[:len(names)]
		places = places[len(names):]
		text, thin := Style(LabelSize, l.Style.Color), Stroke(l.Style.Color, 0.7*Pixel)
		text.YAlign = draw.YCenter
		toName := thin
		if from < farthest-2*Pixel {
			toName.Dashes = []vg.Length{Pixel, 4 * Pixel}
		}
		low, high, bracket := own[0], own[len(own)-1], data.Max.X+Leader-10*Pixel
		c.StrokeLines(toName, []vg.Point{
			{X: from + 4*Pixel, Y: end}, {X: data.Max.X + 6*Pixel, Y: end}, {X: bracket, Y: (low + high) / 2},
		})
		c.StrokeLines(thin, []vg.Point{{X: bracket + 5*Pixel, Y: low}, {X: bracket, Y: low}, {X: bracket, Y: high},
			{X: bracket + 5*Pixel, Y: high}})
		slices.Reverse(names) // the first is at the top
		for i, name := range names {
			c.FillText(text, vg.Point{X: data.Max.X + Leader, Y: own[i]}, Shortened(text, name, MostNameWidth))
		}
	}
}

// plot draws the lines, and the part beyond the CPUs.
func (g Graph) plot(c draw.Canvas, p *Plot) {
	x, y := p.Transforms(&c)
	if at := max(g.Shade, p.X.Min); g.beyond() {
		c.FillPolygon(Faint, []vg.Point{{X: x(at), Y: c.Min.Y}, {X: c.Max.X, Y: c.Min.Y}, c.Max,
			{X: x(at), Y: c.Max.Y}})
		text, name := Style(LabelSize, Grey), " "+g.ShadeName+" "
		text.YAlign = draw.YTop
		if x(at)+text.Width(name) > c.Max.X {
			text.XAlign = draw.XRight
		}
		c.FillText(text, vg.Point{X: x(at), Y: c.Max.Y}, name)
	}
	line := func(l Line, style draw.LineStyle) (points []vg.Point) {
		for i := range l.Values {
			points = append(points, vg.Point{X: x(l.At[i]), Y: y(l.Values[i])})
		}
		c.StrokeLines(style, points)
		return points
	}
	if ends := line(g.Ideal, g.Ideal.Style); len(ends) > 0 {
		// This line is the highest and rises: its name is on the left of its end if it fits there.
		text, end := Style(LabelSize, g.Ideal.Style.Color), ends[len(ends)-1]
		text.XAlign = draw.XRight
		if end.X-text.Width(g.Ideal.Name) < c.Min.X {
			text.XAlign = draw.XLeft
		}
		c.FillText(text, vg.Point{X: end.X, Y: end.Y + 6*Pixel}, g.Ideal.Name)
	}
	lines := slices.Clone(g.Lines)
	upper := func(l Line) int { return words.Either(l.Aside, 0, 1) } // those aside are below the others
	slices.SortStableFunc(lines, func(a, b Line) int { return upper(a) - upper(b) })
	for _, l := range lines {
		for _, member := range l.Band {
			line(member, Stroke(l.Style.Color, 0.5*Pixel))
		}
		marked := c.Min.X - markApart
		for i, point := range line(l, l.Style) {
			if l.Mark.Shape == nil || point.X-marked < markApart {
				continue
			}
			marked = point.X
			if i < len(l.Doubtful) && l.Doubtful[i] {
				blank, hollow := l.Mark, l.Mark
				blank.Color, hollow.Shape = White, l.Outline
				c.DrawGlyph(blank, point)
				c.DrawGlyph(hollow, point)
				continue
			}
			c.DrawGlyph(l.Mark, point)
		}
	}
}

// spread returns positions between low and high for labels on a vertical line, with a distance of at least apart
// between neighbours, close to their wanted positions. wanted and the result are in ascending order; labels that do not
// fit are spread evenly.
func spread(wanted []vg.Length, apart, low, high vg.Length) []vg.Length {
	n := len(wanted)
	if n == 0 {
		return nil
	}
	if needed := apart * vg.Length(n-1); needed > high-low {
		apart = (high - low) / vg.Length(n-1)
	}
	// above has each label at or above its wanted position, and below at or below it: the mean is around the middle of
	// a crowd.
	above, below := slices.Clone(wanted), slices.Clone(wanted)
	for i := 1; i < n; i++ {
		above[i] = max(above[i], above[i-1]+apart)
		below[n-1-i] = min(below[n-1-i], below[n-i]-apart)
	}
	placed := make([]vg.Length, n)
	for i := range placed {
		lowest, highest := low+apart*vg.Length(i), high-apart*vg.Length(n-1-i)
		placed[i] = max(lowest, min(highest, (above[i]+below[i])/2))
	}
	return placed
}
