package fleet

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/timebench/timebench/internal/show/picture"
	"github.com/timebench/timebench/internal/show/words"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Pictures are the pictures of a fleet.
var Pictures = []picture.Chart[*Fleet]{{
	Name: "fleet", Title: "What a read of each clock costs, one mark for each machine",
	Drawable: func(f *Fleet) bool { return len(rowsOf(f)) > 0 }, Subtitle: subtitle,
	Height: func(f *Fleet, width vg.Length) vg.Length { return picture.RowsHeight(len(rowsOf(f)), width) },
	Draw:   drawFleet,
}}

// A dot is a machine in the row of a clock.
type dot struct {
	ns   float64
	look int // of its clock source
	odd  bool
}

// A row is the dots of a clock.
type row struct {
	clock string
	dots  []dot
}

// mostDots is the maximum number of marks in a row that are not odd; a fleet may have thousands of
// machines. They are spread evenly over the costs, the lowest and the highest among them.
const mostDots = 100

// looks are those of the most common clock sources. The others share the last one.
var looks = []picture.Look{
	{Color: picture.RGB(0x0072b2), Shape: draw.CircleGlyph{}}, {Color: picture.RGB(0xd55e00), Shape: draw.BoxGlyph{}},
	{Color: picture.RGB(0x009e73), Shape: draw.PyramidGlyph{}}, {Color: picture.RGB(0xe69f00), Shape: draw.BoxGlyph{}}, {Color: picture.Grey, Shape: draw.CircleGlyph{}},
}

func subtitle(f *Fleet) string {
	text := fmt.Sprintf("%s machines in %s", words.Thousands(int64(f.Machines)), words.Plural(len(f.Groups), "group"))
	if f.Machines > mostDots {
		text += fmt.Sprintf(" · at most %d marks in a row, and those of odd machines", mostDots)
	}
	if f.Odd > 0 {
		text += fmt.Sprintf(" · %s; a ring is a cost unlike those of the group", words.Plural(f.Odd, "odd machine"))
	}
	return text
}

func sourcesOf(f *Fleet) []string {
	number := map[string]int{}
	for _, m := range f.all() {
		number[m.ClockSource]++
	}
	var all []string
	for name := range number {
		all = append(all, name)
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(number[b], number[a]), cmp.Compare(a, b)) })
	return all
}

func lookOf(sources []string, name string) int { return min(slices.Index(sources, name), len(looks)-1) }

// rowsOf returns the rows, the cheapest clock last.
func rowsOf(f *Fleet) []row {
	sources := sourcesOf(f)
	byClock := map[string]*row{}
	var order []string
	for _, m := range f.all() {
		for _, c := range m.Clocks {
			if c.QuietNS <= 0 {
				continue
			}
			if byClock[c.Clock] == nil {
				byClock[c.Clock], order = &row{clock: c.Clock}, append(order, c.Clock)
			}
			byClock[c.Clock].dots = append(byClock[c.Clock].dots, dot{c.QuietNS, lookOf(sources, m.ClockSource), c.Odd})
		}
	}
	var rows []row
	for _, clock := range picture.Shown(order) {
		r := byClock[clock]
		slices.SortStableFunc(r.dots, func(a, b dot) int { return cmp.Compare(a.ns, b.ns) })
		r.dots = thinned(r.dots)
		rows = append(rows, *r)
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(middle(b), middle(a)) })
	return rows
}

func middle(r row) float64 { return r.dots[len(r.dots)/2].ns }

// thinned returns all odd dots, and at most mostDots of the others.
func thinned(dots []dot) []dot {
	usual := 0
	for _, d := range dots {
		if !d.odd {
			usual++
		}
	}
	if usual <= mostDots {
		return dots
	}
	var some []dot
	seen := 0
	for _, d := range dots {
		if d.odd {
			some = append(some, d)
			continue
		}
		if seen*(mostDots-1)/(usual-1) != (seen-1)*(mostDots-1)/(usual-1) || seen == 0 {
			some = append(some, d)
		}
		seen++
	}
	return some
}

// drawFleet draws a row for each clock on a logarithmic axis.
func drawFleet(c draw.Canvas, f *Fleet) error {
	rows, sources := rowsOf(f), sourcesOf(f)
	var entries []picture.Entry
	for i, name := range sources {
		if name == "" {
			name = "no clock source"
		}
		if i >= len(looks)-1 && len(sources) > len(looks) {
			entries = append(entries, picture.Entry{Look: looks[len(looks)-1], Name: "others"})
			break
		}
		entries = append(entries, picture.Entry{Look: looks[i], Name: name})
	}
	drawn := picture.Rows{XLabel: "time per read while nothing disturbs the CPU (log scale)"}
	// Within a row each fifth is at the same height, so that equal costs do not cover each other.
	const lanes, apart = 5, 0.15
	for _, r := range rows {
		var usual, odd []picture.Point
		for k, d := range r.dots {
			point := picture.Point{At: d.ns, Lane: apart * float64(k%lanes-lanes/2), Glyph: looks[d.look].Glyph(2.2 * picture.Pixel)}
			if !d.odd {
				usual = append(usual, point)
				continue
			}
			point.Glyph.Radius = 4 * picture.Pixel
			ring := point
			ring.Glyph = draw.GlyphStyle{Color: picture.Black, Radius: 7 * picture.Pixel, Shape: draw.RingGlyph{}}
			odd = append(odd, point, ring)
		}
		drawn.Rows = append(drawn.Rows, picture.Row{Name: r.clock, Points: append(usual, odd...)})
	}
	drawn.Draw(picture.LegendOf(c, entries))
	return nil
}
