package skew

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/picture"
	"github.com/timebench/timebench/internal/show/words"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	// mostPanels is the maximum number of clocks in the picture.
	mostPanels = 3
	panelGap   = 30 * picture.Pixel
)

// A panel is the skew of one clock: a square of all pairs, or a strip of the CPUs.
type panel struct {
	id    string
	cpus  []int // in ascending order
	pairs []CPUPair
	// cell is the size of a pair in a square; zero in a strip.
	cell          vg.Point
	width, height vg.Length
}

// panels returns the panels of the first clocks that were compared.
func panels(d *result.Document, width vg.Length) []panel {
	s := Of(d)
	if s == nil {
		return nil
	}
	var all []panel
	for _, c := range s.Clocks {
		if p, ok := panelOf(c, width-2*picture.Margin); ok && len(all) < mostPanels {
			all = append(all, p)
		}
	}
	return all
}

func panelOf(c SkewedClock, width vg.Length) (p panel, ok bool) {
	p = panel{id: c.ID, width: width, height: 300 * picture.Pixel}
	seen := map[[2]int]bool{}
	for _, pair := range c.Pairs {
		key := [2]int{min(pair.CPU, pair.OtherCPU), max(pair.CPU, pair.OtherCPU)}
		if pair.CPU == pair.OtherCPU || seen[key] {
			continue
		}
		seen[key] = true
		p.pairs = append(p.pairs, pair)
		p.cpus = append(p.cpus, pair.CPU, pair.OtherCPU)
	}
	slices.Sort(p.cpus)
	p.cpus = slices.Compact(p.cpus)
	n := len(p.cpus)
	if n > MatrixCPUs || len(p.pairs) < n*(n-1)/2 {
		return p, len(p.pairs) > 0
	}
	for _, size := range []struct {
		most int
		cell vg.Point
	}{{4, vg.Point{X: 86 * picture.Pixel, Y: 50 * picture.Pixel}}, {8, vg.Point{X: 88 * picture.Pixel, Y: 44 * picture.Pixel}}, {MatrixCPUs, vg.Point{X: 50 * picture.Pixel, Y: 32 * picture.Pixel}}} {
		if n <= size.most {
			p.cell = size.cell
			break
		}
	}
	p.width = max(squareLeft+vg.Length(n)*p.cell.X, 270*picture.Pixel)
	p.height = squareTop + vg.Length(n)*p.cell.Y + squareBottom
	return p, n > 0
}

const (
	squareLeft   = 58 * picture.Pixel
	squareTop    = 46 * picture.Pixel
	squareBottom = 54 * picture.Pixel
)

// shelves returns the panels in rows of a width, as many side by side as fit. The squares of a row are
// stretched to its width.
func shelves(all []panel, width vg.Length) [][]panel {
	var rows [][]panel
	left := vg.Length(0)
	for _, p := range all {
		if len(rows) == 0 || p.width > left {
			rows, left = append(rows, nil), width
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], p)
		left -= p.width + panelGap
	}
	for _, row := range rows {
		for i := range row {
			row[i].width = (width+panelGap)/vg.Length(len(row)) - panelGap
			if row[i].cell.X > 0 {
				row[i].cell.X = (row[i].width - squareLeft) / vg.Length(len(row[i].cpus))
			}
		}
	}
	return rows
}

func tallest(row []panel) vg.Length {
	return slices.MaxFunc(row, func(a, b panel) int { return cmp.Compare(a.height, b.height) }).height
}

// pictures are the pictures of a skew section.
var pictures = []picture.Chart[*result.Document]{{
	Name: "skew", Title: "Skew between CPUs", Drawable: drawable, Subtitle: subtitle, Height: skewHeight, Draw: drawSkew,
}}

func drawable(d *result.Document) bool { return len(panels(d, picture.Width)) > 0 }

func subtitle(d *result.Document) string { return section.Caption(d, len(compare.Of(d).Clocks)) }

func skewHeight(d *result.Document, width vg.Length) vg.Length {
	all := panels(d, width)
	height := 84*picture.Pixel - panelGap
	if text := note(all); text != "" {
		height += picture.NoteHeight(text, width-2*picture.Margin)
	}
	for _, row := range shelves(all, width-2*picture.Margin) {
		height += tallest(row) + panelGap
	}
	return height
}

// note returns the explanation of the squares; empty if there are none.
func note(all []panel) string {
	square := func(p panel) bool { return p.cell.X > 0 }
	if !slices.ContainsFunc(all, square) {
		return ""
	}
	text := "Each cell: offset in ns of the clock on the column's CPU from the one on the row's."
	if slices.ContainsFunc(all, func(p panel) bool { return square(p) && slices.ContainsFunc(p.pairs, CPUPair.Apart) }) {
		text += " Framed: beyond the error bound."
	}
	return text
}

// drawSkew draws a panel per clock.
func drawSkew(c draw.Canvas, d *result.Document) error {
	all := panels(d, c.Size().X+2*picture.Margin)
	if text := note(all); text != "" {
		c = picture.Note(c, text)
	}
	top := c.Max.Y
	for _, row := range shelves(all, c.Size().X) {
		left := c.Min.X
		for _, p := range row {
			area := draw.Canvas{Canvas: c.Canvas}
			area.Min, area.Max = vg.Point{X: left, Y: top - p.height}, vg.Point{X: left + p.width, Y: top}
			p.draw(area)
			left += p.width + panelGap
		}
		top -= tallest(row) + panelGap
	}
	return nil
}

func (p panel) draw(c draw.Canvas) {
	title := picture.Style(picture.LabelSize, picture.Black)
	title.Font.Weight, title.YAlign = picture.Bold, draw.YTop
	c.FillText(title, vg.Point{X: c.Min.X, Y: c.Max.Y}, picture.Shortened(title, p.id, p.width))
	if p.cell.X > 0 {
		p.drawSquare(c)
		return
	}
	p.drawStrip(draw.Crop(c, 0, 0, 0, -22*picture.Pixel))
}

// farthest returns the end of the colour scale in ns: the largest offset or error bound.
func (p panel) farthest() float64 {
	most := 0.0
	for _, pair := range p.pairs {
		most = max(most, math.Abs(pair.OffsetNS), pair.BoundNS)
	}
	return most
}

// drawSquare draws a row and a column per CPU: each cell is the offset of the column's CPU
// from the row's. An offset beyond its error bound has a frame.
func (p panel) drawSquare(c draw.Canvas) {
	n, scale := len(p.cpus), p.farthest()
	small := picture.Style(min(picture.LabelSize, max(p.cell.Y/3, 11.5*picture.Pixel)), picture.Black)
	small.XAlign, small.YAlign = draw.XCenter, draw.YCenter
	origin := vg.Point{X: c.Min.X + squareLeft, Y: c.Max.Y - squareTop}
	center := func(row, column int) vg.Point {
		return vg.Point{X: origin.X + (vg.Length(column)+0.5)*p.cell.X, Y: origin.Y - (vg.Length(row)+0.5)*p.cell.Y}
	}
	for i, cpu := range p.cpus {
		name := picture.Shortened(small, strconv.Itoa(cpu), p.cell.X)
		c.FillText(small, vg.Point{X: center(0, i).X, Y: origin.Y + 9*picture.Pixel}, name)
		right := small
		right.XAlign = draw.XRight
		c.FillText(right, vg.Point{X: origin.X - 8*picture.Pixel, Y: center(i, 0).Y}, "CPU "+name)
		p.fill(c, center(i, i), picture.Light)
	}
	for _, pair := range p.pairs {
		row, column := slices.Index(p.cpus, pair.CPU), slices.Index(p.cpus, pair.OtherCPU)
		p.drawPair(c, small, center(row, column), pair, pair.OffsetNS, scale)
		p.drawPair(c, small, center(column, row), pair, -pair.OffsetNS, scale)
	}
	p.drawScale(c, vg.Point{X: origin.X, Y: origin.Y - vg.Length(n)*p.cell.Y - 12*picture.Pixel}, scale)
}

// fill paints a cell, with a gap to its neighbours.
func (p panel) fill(c draw.Canvas, center vg.Point, with color.Color) {
	half := vg.Point{X: p.cell.X/2 - picture.Pixel, Y: p.cell.Y/2 - picture.Pixel}
	c.FillPolygon(with, corners(center, half))
}

func corners(center, half vg.Point) []vg.Point {
	return []vg.Point{
		{X: center.X - half.X, Y: center.Y - half.Y}, {X: center.X + half.X, Y: center.Y - half.Y},
		{X: center.X + half.X, Y: center.Y + half.Y}, {X: center.X - half.X, Y: center.Y + half.Y},
	}
}

func (p panel) drawPair(c draw.Canvas, text draw.TextStyle, center vg.Point, pair CPUPair, offsetNS, scale float64) {
	p.fill(c, center, picture.Shade(offsetNS, scale))
	if pair.Apart() {
		frame := corners(center, vg.Point{X: p.cell.X/2 - 2*picture.Pixel, Y: p.cell.Y/2 - 2*picture.Pixel})
		c.StrokeLines(picture.Stroke(picture.Black, 2*picture.Pixel), append(frame, frame[0]))
	}
	lines := []string{brief(offsetNS)}
	if p.cell.Y > 40*picture.Pixel {
		lines = append(lines, "± "+brief(pair.BoundNS))
	}
	line := text.Font.Size + 4*picture.Pixel
	at := vg.Point{X: center.X, Y: center.Y + line*vg.Length(len(lines)-1)/2}
	for _, word := range lines {
		if text.Width(word) <= p.cell.X-4*picture.Pixel {
			c.FillText(text, at, word)
		}
		at.Y -= line
	}
}

// brief returns nanoseconds for a cell of the matrix. Below 1 µs it omits the unit, which the
// scale below shows.
func brief(valueNS float64) string {
	if math.Abs(valueNS) < 1000 {
		return words.Brief(valueNS)
	}
	return words.Offset(valueNS)
}

// drawScale draws the colour scale below a square, with the bounds and the round trips.
func (p panel) drawScale(c draw.Canvas, at vg.Point, scale float64) {
	const side = 13 * picture.Pixel
	text := picture.Style(11.5*picture.Pixel, picture.Black)
	text.YAlign = draw.YCenter
	at.Y -= side / 2
	low, high := words.Offset(-scale), words.Offset(scale)
	c.FillText(text, at, low)
	at.X += text.Width(low) + 6*picture.Pixel
	for _, shade := range picture.Diverging {
		c.FillPolygon(shade, corners(vg.Point{X: at.X + side/2, Y: at.Y}, vg.Point{X: side / 2, Y: side / 2}))
		at.X += side
	}
	at.X += 6 * picture.Pixel
	c.FillText(text, at, high)
	at.X, at.Y = c.Min.X+squareLeft, at.Y-20*picture.Pixel
	text.Color = picture.Grey
	c.FillText(text, at, picture.Shortened(text, "± "+p.span(func(p CPUPair) float64 { return p.BoundNS })+
		" · "+p.roundTrips(), p.width-squareLeft))
}

// roundTrips returns the range of the best round trips as text, if the clock is fine enough
// to measure them.
func (p panel) roundTrips() string {
	if slices.ContainsFunc(p.pairs, func(p CPUPair) bool { return !p.TellsRoundTrip() }) {
		return "too coarse for a round trip"
	}
	return "round trip " + p.span(func(p CPUPair) float64 { return p.RoundTripNS })
}

// span returns the min and the max of a figure of the pairs as text.
func (p panel) span(of func(CPUPair) float64) string {
	low, high := math.Inf(1), 0.0
	for _, pair := range p.pairs {
		low, high = min(low, of(pair)), max(high, of(pair))
	}
	if brief(low) == brief(high) {
		return words.Duration(low)
	}
	return words.Duration(low) + " to " + words.Duration(high)
}

// drawStrip draws a mark per CPU at its offset from the one that it was compared with, and a bar
// for the error bound. The worst are named above.
func (p panel) drawStrip(c draw.Canvas) {
	var values []float64
	for _, pair := range p.pairs {
		values = append(values, pair.OffsetNS-pair.BoundNS, pair.OffsetNS+pair.BoundNS)
	}
	slices.SortStableFunc(p.pairs, func(a, b CPUPair) int {
		return cmp.Or(cmp.Compare(a.CPU, b.CPU), cmp.Compare(a.OtherCPU, b.OtherCPU))
	})
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
	picture.DrawPlot(c, view, label+"  ·  "+p.roundTrips(), "offset ± bound"+farthest(p.pairs))
}

// farthest names the pairs that are the farthest apart; "" if none is certainly apart.
func farthest(pairs []CPUPair) string {
	const most = 6
	var text strings.Builder
	apart := apartPairs(pairs)
	for _, pair := range apart[:min(most, len(apart))] {
		fmt.Fprintf(&text, "  ·  CPU %d against %d: %s", pair.OtherCPU, pair.CPU, words.Offset(pair.OffsetNS))
	}
	return text.String()
}

// haveOneFirst reports whether all pairs have the same first CPU.
func haveOneFirst(pairs []CPUPair) bool {
	return !slices.ContainsFunc(pairs, func(pair CPUPair) bool { return pair.CPU != pairs[0].CPU })
}

// pairTicks labels the pairs of a strip, as many as fit: with the second CPU if all pairs
// have the same first one, otherwise with both.
type pairTicks []CPUPair

func (t pairTicks) Ticks(_, _ float64) []picture.Tick {
	most, room, name := 24, 30*picture.Pixel, func(pair CPUPair) string { return strconv.Itoa(pair.OtherCPU) }
	if !haveOneFirst(t) {
		most, room, name = 16, 60*picture.Pixel, func(pair CPUPair) string { return fmt.Sprintf("%d, %d", pair.CPU, pair.OtherCPU) }
	}
	every := 1 + len(t)/most
	var ticks []picture.Tick
	for i, pair := range t {
		if i%every == 0 {
			ticks = append(ticks, picture.Tick{Value: float64(i), Label: picture.Shortened(picture.Style(picture.LabelSize, picture.Black), name(pair), room)})
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
		mark, bar := picture.Look{Color: picture.RGB(0x0072b2), Shape: draw.CircleGlyph{}}.Glyph(radius), picture.RGB(0x56b4e9)
		if pair.Apart() {
			mark, bar = picture.Failed.Glyph(4.5*picture.Pixel), picture.Failed.Color
		}
		c.StrokeLine2(picture.Stroke(bar, 1.4*picture.Pixel), at.X, y(pair.OffsetNS-pair.BoundNS), at.X, y(pair.OffsetNS+pair.BoundNS))
		c.DrawGlyph(mark, at)
	}
}
