package drift

import (
	"math"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/picture"
)

var pictures = []picture.Chart[*result.Document]{{
	Name: "drift", Title: "Drift of the clocks against a reference", Subtitle: subtitle, Of: offsets,
}}

func subtitle(d *result.Document) string {
	return "against " + picture.Shortened(picture.Style(picture.LabelSize, picture.Black), Of(d).Reference,
		300*picture.Pixel) + " · " + section.Caption(d, max(len(compare.Of(d).Clocks), len(Of(d).Clocks)), "clocks")
}

// offsets returns the lines of the offsets of the first clocks with readings. Clocks of a path whose last offsets do
// not differ in the picture share one.
func offsets(d *result.Document) picture.Drawing {
	const share = 0.02 // of the axis
	t := Of(d)
	if t == nil {
		return nil
	}
	var lines []picture.Line
	var values []float64
	for _, clock := range t.Clocks {
		if len(clock.Points) == 0 {
			continue
		}
		l := picture.LineOf(clock.ID, picture.PathOf(clock.ID))
		l.Mark.Shape, l.Aside = nil, !compare.IsEveryday(clock.ID)
		for _, point := range clock.Points {
			l.At, l.Values = append(l.At, float64(point.AtNS)), append(l.Values, point.OffsetNS)
		}
		lines, values = append(lines, l), append(values, l.Values...)
	}
	if len(lines) == 0 {
		return nil
	}
	axis := picture.OffsetAxis(values)
	last := func(l picture.Line) float64 { return l.Values[len(l.Values)-1] }
	return picture.Graph{
		Lines: picture.Banded(picture.Shown(lines), func(l picture.Line) picture.Line { return l },
			func(a, b picture.Line) bool { return math.Abs(last(a)-last(b)) > share*(axis.Max-axis.Min) }),
		YLabel: "offset from the reference", XLabel: "time since the start", Linear: true,
		Shade: float64(t.LoadedFromNS), ShadeName: "every CPU busy",
	}
}
