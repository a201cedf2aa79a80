package fleet

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/instrument/stats"
	"github.com/timebench/timebench/internal/show/picture"
	"github.com/timebench/timebench/internal/show/words"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Pictures are the pictures of a fleet.
var Pictures = []picture.Chart[*Fleet]{{
	Name: "fleet", Title: "What a read of each clock costs, one mark for each machine",
	Subtitle: subtitle, Of: func(f *Fleet) picture.Drawing { return drawing{f} },
}}

// A drawing has a row for each clock on a logarithmic axis, with a lane for each group, the largest at the top.
type drawing struct{ *Fleet }

// A dot is a machine in the row of a clock.
type dot struct {
	ns  float64
	odd bool
}

// A row is the dots of a clock, by the look of their group, and the machines with an odd cost, or with both an unusual
// clock source and an unusual cost.
type row struct {
	clock string
	dots  [][]dot
	odd   []oddDot
}

// An oddDot is a machine that the picture names.
type oddDot struct {
	ns         float64
	kind, name string
}

// mostDots is the maximum number of marks in a row that are not odd; a fleet may have thousands of machines. The marks
// of a group are spread evenly over its costs, from the lowest to the highest.
const mostDots = 100

// looks has a look for each of the largest groups. The others share the last.
var looks = []picture.Look{
	{Color: picture.RGB(0x0072b2), Shape: draw.CircleGlyph{}},
	{Color: picture.RGB(0x009e73), Shape: draw.PyramidGlyph{}},
	{Color: picture.RGB(0xe69f00), Shape: draw.BoxGlyph{}},
	{Color: picture.RGB(0xcc79a7), Shape: picture.LookOf("go").Shape},
	{Color: picture.Grey, Shape: picture.LookOf("mmio").Shape},
}

func subtitle(f *Fleet) string {
	text := fmt.Sprintf("%s machines in %s", words.Thousands(int64(f.Machines)), words.Plural(len(f.Groups), "group"))
	if f.Machines > mostDots {
		text += fmt.Sprintf(" · at most %d marks in a row, and the odd machines", mostDots)
	}
	if f.Odd > 0 {
		text += fmt.Sprintf(" · %s; a ring is an odd cost", words.Plural(f.Odd, "odd machine"))
	}
	return text
}

// rowsOf returns the rows, the fastest clock last.
func rowsOf(f *Fleet) []row {
	groups := min(len(f.Groups), len(looks))
	byClock := map[string]*row{}
	var order []string
	for i := range f.Groups {
		look := min(i, len(looks)-1)
		for k := range f.Groups[i].Machines {
			m := &f.Groups[i].Machines[k]
			for _, c := range m.Clocks {
				if c.QuietNS <= 0 {
					continue
				}
				if byClock[c.Clock] == nil {
					byClock[c.Clock], order = &row{clock: c.Clock, dots: make([][]dot, groups)}, append(order, c.Clock)
				}
				r := byClock[c.Clock]
				r.dots[look] = append(r.dots[look], dot{c.QuietNS, c.Odd})
				if kind := f.Groups[i].kindOf(m); c.Odd || kind != usualSource && f.Groups[i].isApart(c) {
					r.odd = append(r.odd, oddDot{c.QuietNS, kind, m.Name})
				}
			}
		}
	}
	middles := map[string]float64{}
	var rows []row
	for _, clock := range picture.Shown(order) {
		r := byClock[clock]
		var costs []float64
		for _, d := range slices.Concat(r.dots...) {
			costs = append(costs, d.ns)
		}
		middles[clock] = stats.Median(costs)
		for i := range r.dots {
			slices.SortStableFunc(r.dots[i], cheaper)
			r.dots[i] = thinned(r.dots[i], mostDots/groups)
		}
		rows = append(rows, *r)
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(middles[b.clock], middles[a.clock]) })
	return rows
}

func cheaper(a, b dot) int { return cmp.Compare(a.ns, b.ns) }

// thinned returns all odd dots, and up to most other dots, evenly spread.
func thinned(dots []dot, most int) []dot {
	usual := slices.DeleteFunc(slices.Clone(dots), func(d dot) bool { return d.odd })
	if len(usual) <= most {
		return dots
	}
	some := slices.DeleteFunc(slices.Clone(dots), func(d dot) bool { return !d.odd })
	for i := range most {
		some = append(some, usual[i*(len(usual)-1)/(most-1)])
	}
	return some
}

// usualSource is the kind of a machine with the most common clock source.
const usualSource = "odd"

// isApart reports whether a cost differs from the median of the group as much as an odd cost. It need not be odd: a
// group can have several clock sources.
func (g *Group) isApart(c Cost) bool {
	i := slices.IndexFunc(g.Clocks, func(s Spread) bool { return s.Clock == c.Clock })
	return i >= 0 && max(c.QuietNS, g.Clocks[i].MedianNS) > leastRatio*min(c.QuietNS, g.Clocks[i].MedianNS)
}

// kindOf returns in a word or two why a machine of the group is odd: its clock source, if it is unusual.
func (g *Group) kindOf(m *Machine) string {
	if usual := g.ClockSources; len(usual) > 0 && m.ClockSource != usual[0].Name {
		return "with " + cmp.Or(m.ClockSource, "no clock source")
	}
	return usualSource
}

// oddText returns the text on the right of a row: its odd machines, or only their numbers if the names are too wide.
func (r *row) oddText(style draw.TextStyle, most vg.Length) string {
	text := r.oddNames(true)
	if len(text) > picture.Longest || style.Width(text) > most {
		text = r.oddNames(false)
	}
	return picture.Shortened(style, text, most)
}

// oddNames returns the numbers of odd machines of a row by kind, the nearest to the text first, and their names.
func (r *row) oddNames(named bool) string {
	if len(r.odd) == 0 {
		return ""
	}
	names := map[string][]string{}
	var kinds []string
	odd := slices.SortedStableFunc(slices.Values(r.odd), func(a, b oddDot) int { return cmp.Compare(b.ns, a.ns) })
	for _, o := range odd {
		if names[o.kind] == nil {
			kinds = append(kinds, o.kind)
		}
		names[o.kind] = append(names[o.kind], o.name)
	}
	for i, kind := range kinds {
		kinds[i] = words.Count(float64(len(names[kind]))) + " " + kind
		if named {
			kinds[i] += ": " + strings.Join(names[kind], ", ")
		}
	}
	where := ""
	if slices.MaxFunc(slices.Concat(r.dots...), cheaper).ns > leastRatio*odd[0].ns {
		where = "left: "
	}
	return where + strings.Join(kinds, "; ")
}

// legend returns the look of each group, and how the group differs from the others, within a width.
func (f *Fleet) legend(width vg.Length) []picture.Entry {
	var entries []picture.Entry
	for i := range f.Groups {
		if i == len(looks)-1 && len(f.Groups) > len(looks) {
			return append(entries, picture.Entry{Look: looks[i], Name: words.Plural(len(f.Groups)-i, "smaller group")})
		}
		g := &f.Groups[i]
		var own []string
		for _, part := range []func(Alike) string{
			func(a Alike) string { return a.CPU }, func(a Alike) string { return a.Kernel },
			func(a Alike) string { return a.Hypervisor }, func(a Alike) string { return "timebench " + a.Version },
		} {
			if len(f.Groups) == 1 || slices.ContainsFunc(f.Groups,
				func(other Group) bool { return part(other.Alike) != part(g.Alike) }) {
				own = append(own, part(g.Alike))
			}
		}
		name := words.Plural(len(g.Machines), "machine") + ": " + strings.Join(words.Present(own...), ", ")
		entries = append(entries, picture.Entry{Look: looks[i],
			Name: picture.Shortened(picture.Style(picture.LabelSize, picture.Black), name, width-16*picture.Pixel)})
	}
	return entries
}

// Height returns the height of the picture; 0 without rows.
func (f drawing) Height(width vg.Length) vg.Length {
	if rows := f.rows(width - 2*picture.Margin); len(rows.Rows) > 0 {
		return rows.Height(width) + namesHeight(f.oddOnes())
	}
	return 0
}

// oddOnes returns a line for each odd machine, with its first reason; of many machines the first.
func (f *Fleet) oddOnes() (lines []string) {
	const most = 20
	for _, m := range f.all() {
		if len(m.Reasons) > 0 {
			lines = append(lines, m.Name+": "+m.Reasons[0].Text)
		}
	}
	if more := len(lines) - most; more > 0 {
		lines = append(lines[:most], "and "+words.Count(float64(more))+" more")
	}
	return lines
}

func namesHeight(lines []string) vg.Length {
	if len(lines) == 0 {
		return 0
	}
	return vg.Length(len(lines)+1) * picture.LineApart
}

// drawNames writes lines at the lower edge of a canvas, and returns the remaining canvas.
func drawNames(c draw.Canvas, lines []string) draw.Canvas {
	text := picture.Style(picture.LabelSize, picture.Black)
	text.YAlign = draw.YTop
	height := namesHeight(lines)
	for i, line := range lines {
		at := vg.Point{X: c.Min.X, Y: c.Min.Y + height - vg.Length(i+1)*picture.LineApart}
		c.FillText(text, at, picture.Shortened(text, line, c.Size().X))
	}
	return draw.Crop(c, 0, 0, height, 0)
}

// Draw draws the rows, and the names of odd machines below them.
func (f drawing) Draw(c draw.Canvas) { f.rows(c.Size().X).Draw(drawNames(c, f.oddOnes())) }

// rows returns the rows of a picture of this width.
func (f drawing) rows(width vg.Length) picture.Rows {
	const (
		apart   = 0.15                // of the lanes, in rows
		mostOdd = 220 * picture.Pixel // of the names of odd machines
	)
	drawn := picture.Rows{XLabel: "time per read while nothing disturbs the CPU (log scale)", Legend: f.legend(width)}
	text := picture.Style(picture.LabelSize, picture.Black)
	for _, r := range rowsOf(f.Fleet) {
		var usual, odd []picture.Point
		for i, dots := range r.dots {
			for _, d := range dots {
				point := picture.Point{At: d.ns, Lane: apart * (float64(len(r.dots)-1)/2 - float64(i)),
					Glyph: looks[i].Glyph(2 * picture.Pixel)}
				if !d.odd {
					usual = append(usual, point)
					continue
				}
				point.Glyph.Radius = 4 * picture.Pixel
				ring := point
				ring.Glyph = draw.GlyphStyle{Color: picture.Black, Radius: 7 * picture.Pixel, Shape: draw.RingGlyph{}}
				odd = append(odd, point, ring)
			}
		}
		drawn.Rows = append(drawn.Rows, picture.Row{Name: r.clock, Points: append(usual, odd...),
			Text: r.oddText(text, mostOdd)})
	}
	return drawn
}
