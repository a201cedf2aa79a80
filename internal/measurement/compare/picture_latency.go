package compare

import (
	"slices"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/picture"
	"github.com/timebench/timebench/internal/show/words"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

func latencyHeight(d *result.Document, width vg.Length) vg.Length {
	return picture.RowsHeight(len(measured(d)), width)
}

// drawLatency draws a row for each clock, the fastest first: a mark at the median and a bar for
// its confidence interval, on a logarithmic axis.
func drawLatency(c draw.Canvas, d *result.Document) error {
	clocks := measured(d)
	slices.SortStableFunc(clocks, func(a, b Clock) int { return byMedian(b, a) })
	rows := picture.Rows{XLabel: "wall time per read: median with its 95% CI (log scale)"}
	for _, clock := range clocks {
		rows.Rows = append(rows.Rows, clock.Latency.Row(clock.ID, picture.LookOf(clock.Path)))
	}
	rows.Draw(legend(c, clocks))
	return nil
}

// Row returns the latency as a row of a picture.
func (l *Latency) Row(name string, look picture.Look) picture.Row {
	row := picture.Row{Name: name, Text: words.Duration(l.MedianNS), Points: []picture.Point{{At: l.MedianNS, Glyph: look.Glyph(4.5 * picture.Pixel)}}}
	if l.Confidence > 0 {
		row.Interval = &picture.Bar{From: l.LowNS, To: l.HighNS, Color: look.Color}
	}
	return row
}

// legend draws the legend at the top of a canvas and returns the rest.
func legend(c draw.Canvas, clocks []Clock) draw.Canvas {
	var entries []picture.Entry
	for _, l := range picture.Looks {
		if slices.ContainsFunc(clocks, func(c Clock) bool { return c.Path == l.Path }) {
			entries = append(entries, picture.Entry{Look: l, Name: "@" + l.Path})
		}
	}
	return picture.LegendOf(c, entries)
}
