package compare

import (
	"slices"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/show/picture"
	"github.com/timebench/timebench/internal/show/words"
)

var pictures = []picture.Chart[*result.Document]{
	{Name: "latency", Title: "Latency and resolution of each clock", Subtitle: machine, Of: latencies},
	{Name: "layers", Title: "Where the time of a read goes", Subtitle: machine, Of: layerRows},
	{Name: "time-per-read", Title: "Wall time per read of one thread, by number of threads", Subtitle: machine,
		Of: timePerRead},
	{Name: "reads-per-second", Title: "Reads per second of all threads, by number of threads", Subtitle: machine,
		Of: totalReads},
	{Name: "clock-sources", Title: "Latency by clock source", Subtitle: machine, Of: latencyBySource},
	{Name: "clock-sources-scaling", Title: "Reads per second by clock source", Subtitle: machine,
		Of: scalingBySource},
	{Name: "distribution", Title: "Distribution of single reads", Subtitle: machine, Of: distributions},
}

// machine returns the subtitle of a picture of all clocks.
func machine(d *result.Document) string { return section.Caption(d, len(Of(d).Clocks), "clocks") }

// measured returns the first clocks with a latency, in the order of the document.
func measured(d *result.Document) []Clock {
	var clocks []Clock
	for _, c := range Of(d).Clocks {
		if c.Available && c.Latency != nil && c.Latency.MedianNS > 0 {
			clocks = append(clocks, c)
		}
	}
	return picture.Shown(clocks)
}

// latencies returns a row for each clock, the fastest first: a mark at the median and a bar for its confidence
// interval, on a logarithmic axis, and in words the resolution of a clock that repeats its values.
func latencies(d *result.Document) picture.Drawing {
	clocks := measured(d)
	slices.SortStableFunc(clocks, func(a, b Clock) int { return byMedian(b, a) })
	rows := picture.Rows{XLabel: "wall time per read: median with its 95% CI (log scale)", Legend: legend(clocks)}
	for _, clock := range clocks {
		row := clock.Latency.Row(clock.ID, picture.LookOf(clock.Path))
		if r := clock.Resolution; r == nil || !r.FinerThanRead {
			row.Text += ", resolution " + Tick(r)
		}
		rows.Rows = append(rows.Rows, row)
	}
	return rows
}

// Row returns the latency as a row of a picture.
func (l *Latency) Row(name string, look picture.Look) picture.Row {
	row := picture.Row{Name: name, Text: words.Duration(l.MedianNS),
		Points: []picture.Point{{At: l.MedianNS, Glyph: look.Glyph(4.5 * picture.Pixel)}}}
	if l.Confidence > 0 {
		row.Interval = &picture.Bar{From: l.LowNS, To: l.HighNS, Color: look.Color}
	} else if n := len(l.SamplesNS); n > 0 {
		row.Text += ", " + words.Plural(n, "sample")
	}
	return row
}

func legend(clocks []Clock) []picture.Entry {
	var entries []picture.Entry
	for _, l := range picture.Looks {
		if slices.ContainsFunc(clocks, func(c Clock) bool { return c.Path == l.Path }) {
			entries = append(entries, picture.Entry{Look: l, Name: "@" + l.Path})
		}
	}
	return entries
}
