package compare

import (
	"cmp"
	"slices"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/picture"
)

// sourceLook returns the look of the i-th clock source. Five looks differ in both colour and shape.
func sourceLook(i int) picture.Look { return picture.Looks[i%5] }

// latencyBySource returns a row for each clock, with a mark for each clock source; no rows without experiments.
func latencyBySource(d *result.Document) picture.Drawing {
	sources := BySource(d)
	if len(sources) == 0 {
		return nil
	}
	clocks := measured(d)
	slices.SortStableFunc(clocks, func(a, b Clock) int { return byMedian(b, a) })
	rows := picture.Rows{XLabel: "wall time per read, by clock source (log scale)"}
	for i, source := range sources {
		rows.Legend = append(rows.Legend, picture.Entry{Look: sourceLook(i),
			Name: picture.Shortened(picture.Style(picture.LabelSize, picture.Black), source.ClockSource,
				picture.MostNameWidth)})
	}
	for _, clock := range clocks {
		row := picture.Row{Name: clock.ID}
		// The machine's own clock source is drawn last, on top.
		for i, source := range slices.Backward(sources) {
			if l := latencyOf(source.Clocks, clock.ID); l > 0 {
				row.Points = append(row.Points, picture.Point{At: l, Glyph: sourceLook(i).Glyph(5 * picture.Pixel)})
			}
		}
		rows.Rows = append(rows.Rows, row)
	}
	return rows
}

// clockOf returns the clock with an id; nil without one.
func clockOf(clocks []Clock, id string) *Clock {
	if i := slices.IndexFunc(clocks, func(c Clock) bool { return c.ID == id }); i >= 0 {
		return &clocks[i]
	}
	return nil
}

// latencyOf returns the median of a clock; 0 if it was not measured.
func latencyOf(clocks []Clock, id string) float64 {
	if c := clockOf(clocks, id); c != nil && c.Latency != nil {
		return c.Latency.MedianNS
	}
	return 0
}

// scalingOf returns the clock for the picture of the scaling by clock source: the clock that most programs read, or
// else the first measured clock.
func scalingOf(d *result.Document) string {
	const usual = "CLOCK_MONOTONIC@vdso"
	first := ""
	for _, c := range Of(d).Clocks {
		if !slices.ContainsFunc(c.Throughput, func(t Throughput) bool { return t.ReadsPerSecond > 0 }) {
			continue
		}
		if c.ID == usual {
			return usual
		}
		first = cmp.Or(first, c.ID)
	}
	return first
}

// scalingBySource returns a line for each clock source: the reads per second of the clock of [scalingOf].
func scalingBySource(d *result.Document) picture.Drawing {
	id := scalingOf(d)
	var all []picture.Line
	for i, source := range BySource(d) {
		look := sourceLook(i)
		l := picture.Line{Name: source.ClockSource, Mark: look.Glyph(4 * picture.Pixel),
			Style: picture.Stroke(look.Color, 1.8*picture.Pixel)}
		if c := clockOf(source.Clocks, id); c != nil {
			for _, t := range c.Throughput {
				if t.ReadsPerSecond > 0 {
					l.At, l.Values = append(l.At, float64(t.Threads)), append(l.Values, t.ReadsPerSecond)
				}
			}
		}
		if len(l.Values) > 0 {
			all = append(all, l)
		}
	}
	return rates(d, all, all, "reads per second of "+id+" (log scale)")
}
