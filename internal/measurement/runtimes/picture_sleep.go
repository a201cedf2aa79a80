package runtimes

import (
	"slices"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/picture"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// shortest returns the sleeps of the shortest span that fit into the picture, the least late last.
func shortest(d *result.Document) []line {
	s := Of(d)
	if s == nil || len(s.spans()) == 0 {
		return nil
	}
	all := slices.DeleteFunc(s.sleptFor(s.spans()[0]), func(l line) bool { return l.slept.Took.MedianNS <= 0 })
	all = picture.Shown(all)
	slices.Reverse(all)
	return all
}

func hasSleeps(d *result.Document) bool { return len(shortest(d)) > 0 }

func sleepHeight(d *result.Document, width vg.Length) vg.Length {
	return picture.RowsHeight(len(shortest(d)), width)
}

// drawSleeps draws a row for each way to sleep: the time that a sleep of the shortest span takes, beside the span.
func drawSleeps(c draw.Canvas, d *result.Document) error {
	rows := picture.Rows{XLabel: "wall time of a sleep: median with its 95% CI (log scale)"}
	look, hollow := lookOf(wall), lookOf(wall)
	hollow.Shape = hollow.Hollow
	for _, l := range shortest(d) {
		row := l.slept.Took.Row(l.call.ID, look)
		if p99NS := float64(l.slept.SpanNS) + l.slept.P99LateNS; p99NS > 0 {
			row.Points = append(row.Points, picture.Point{At: p99NS, Glyph: hollow.Glyph(4.5 * picture.Pixel)})
		}
		rows.Rows = append(rows.Rows, row)
		rows.Marks = []picture.Mark{{Name: "asked for", ValueNS: float64(l.slept.SpanNS)}}
	}
	entries := []picture.Entry{{Look: look, Name: "median"}, {Look: hollow, Name: "99th percentile"}}
	rows.Draw(picture.LegendOfMarks(picture.LegendOf(c, entries), rows.Marks))
	return nil
}
