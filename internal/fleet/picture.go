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

// A row is the dots of a clock, by the look of their group.
type row struct {
	clock string
	dots  [][]dot
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
		for _, m := range f.Groups[i].Machines {
			for _, c := range m.Clocks {
				if c.QuietNS <= 0 {
					continue
				}
				if byClock[c.Clock] == nil {
					byClock[c.Clock], order = &row{clock: c.Clock, dots: make([][]dot, groups)}, append(order, c.Clock)
				}
				r := byClock[c.Clock]
				r.dots[look] = append(r.dots[look], dot{c.QuietNS, c.Odd})
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
			slices.SortStableFunc(r.dots[i], func(a, b dot) int { return cmp.Compare(a.ns, b.ns) })
			r.dots[i] = thinned(r.dots[i], mostDots/groups)
		}
		rows = append(rows, *r)
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(middles[b.clock], middles[a.clock]) })
	return rows
}

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
		return rows.Height(width) + namesHeight(f.lines())
	}
	return 0
}

// lines returns a line for each odd machine and each with an error; of many machines the first.
func (f *Fleet) lines() (lines []string) {
	const most = 20
	for _, m := range f.notable() {
		lines = append(lines, m.Name+": "+m.why()[0])
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

// Draw draws the rows, and the lines below them.
func (f drawing) Draw(c draw.Canvas) { f.rows(c.Size().X).Draw(drawNames(c, f.lines())) }

func (f drawing) rows(width vg.Length) picture.Rows {
	const apart = 0.15 // of the lanes, in rows
	drawn := picture.Rows{XLabel: "time per read while nothing disturbs the CPU (log scale)", Legend: f.legend(width)}
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
		drawn.Rows = append(drawn.Rows, picture.Row{Name: r.clock, Points: append(usual, odd...)})
	}
	return drawn
}
