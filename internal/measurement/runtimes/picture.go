package runtimes

import (
	"cmp"
	"slices"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/show/picture"
	"github.com/timebench/timebench/internal/show/words"
	"gonum.org/v1/plot/vg/draw"
)

var pictures = []picture.Chart[*result.Document]{
	{Name: "runtimes", Title: "Wall time of a clock call in each runtime", Subtitle: subtitle, Of: callRows},
	{Name: "runtimes-parts", Title: "What a runtime adds to its clock", Subtitle: subtitle, Of: splitRows},
}

var looks = []struct {
	kind, name string
	look       picture.Look
}{
	{wall, "wall clock", picture.Look{Color: picture.RGB(0x0072b2), Shape: draw.CircleGlyph{},
		Hollow: draw.RingGlyph{}}},
	{monotonic, "monotonic", picture.Look{
		Color: picture.RGB(0x009e73), Shape: draw.PyramidGlyph{}, Hollow: draw.TriangleGlyph{},
	}},
	{cpuTime, "CPU time", picture.Look{Color: picture.RGB(0xd55e00), Shape: draw.BoxGlyph{},
		Hollow: draw.SquareGlyph{}}},
}

func lookOf(kind string) picture.Look {
	for _, l := range looks {
		if l.kind == kind {
			return l.look
		}
	}
	return picture.LookOf("")
}

// measured returns the calls of a document whose wall time was measured.
func measured(d *result.Document) []MeasuredCall {
	s := Of(d)
	if s == nil {
		return nil
	}
	var all []MeasuredCall
	for _, r := range s.Runtimes {
		if r.TimedBy != "" {
			continue // these are no wall times
		}
		for _, m := range r.Calls {
			if m.Latency != nil && m.Latency.MedianNS > 0 {
				all = append(all, m)
			}
		}
	}
	return all
}

// byLanguage returns the calls that fit into the picture, a language after another. The language of the fastest call is
// last, and in each language its fastest call, as pictures draw them from the bottom to the top.
func byLanguage(all []MeasuredCall) []MeasuredCall {
	slower := func(a, b MeasuredCall) int { return byMedian(b, a) }
	slices.SortStableFunc(all, slower)
	all = all[len(all)-len(picture.Shown(all)):]
	place := map[string]int{} // of the fastest call of a language
	for i, m := range all {
		place[picture.PathOf(m.ID)] = i
	}
	slices.SortStableFunc(all, func(a, b MeasuredCall) int {
		return cmp.Or(cmp.Compare(place[picture.PathOf(a.ID)], place[picture.PathOf(b.ID)]), slower(a, b))
	})
	return all
}

func subtitle(d *result.Document) string { return section.Caption(d, len(measured(d)), "calls") }

// callRows returns a row for each call, in groups of languages, beside the system's clocks as lines.
func callRows(d *result.Document) picture.Drawing {
	calls := byLanguage(measured(d))
	if len(calls) == 0 {
		return nil
	}
	rows := picture.Rows{XLabel: "wall time per call: median with its 95% CI (log scale)"}
	for _, l := range looks {
		if slices.ContainsFunc(calls, func(m MeasuredCall) bool { return m.Kind == l.kind }) {
			rows.Legend = append(rows.Legend, picture.Entry{Look: l.look, Name: l.name})
		}
	}
	if slices.ContainsFunc(calls, func(m MeasuredCall) bool { return m.WithoutVDSONS > 0 }) {
		hollow := looks[0].look
		hollow.Shape = hollow.Hollow
		rows.Legend = append(rows.Legend, picture.Entry{Look: hollow, Name: "without the vDSO"})
	}
	for _, m := range calls {
		look := lookOf(m.Kind)
		row := m.Latency.Row(m.ID, look)
		row.Group = picture.PathOf(m.ID)
		if m.WithoutVDSONS > 0 {
			hollow := look.Glyph(4.5 * picture.Pixel)
			hollow.Shape = look.Hollow
			row.Points = append(row.Points, picture.Point{At: m.WithoutVDSONS, Glyph: hollow})
			row.Text += " → " + words.Duration(m.WithoutVDSONS)
		}
		rows.Rows = append(rows.Rows, row)
	}
	for _, clock := range Of(d).fine() {
		rows.Marks = append(rows.Marks, picture.Mark{Name: clock.ID, ValueNS: clock.Latency.MedianNS})
	}
	return rows
}
