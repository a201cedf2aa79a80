package wake

import (
	"cmp"
	"slices"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/show/picture"
	"github.com/timebench/timebench/internal/show/words"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// pictures are the pictures of this section.
var pictures = []picture.Chart[*result.Document]{
	{
		Name: "wake", Title: "How late sleeps end", Subtitle: subtitle, Draw: drawLateness,
		Drawable: func(d *result.Document) bool { return len(drawn(d)) > 0 }, Height: height(drawn),
	},
	{
		Name: "wake-layers", Title: "Where the lateness of a sleep goes", Subtitle: subtitle, Draw: drawLayers,
		Drawable: func(d *result.Document) bool { return len(layered(d)) > 0 }, Height: height(layered),
	},
}

func subtitle(d *result.Document) string {
	available := slices.DeleteFunc(slices.Clone(Of(d).Ways), func(w SleepWay) bool { return !w.Available })
	return section.Caption(d, len(available))
}

func height(rows func(*result.Document) []Row) func(*result.Document, vg.Length) vg.Length {
	return func(d *result.Document, width vg.Length) vg.Length { return picture.RowsHeight(len(rows(d)), width) }
}

// drawn returns the rows of the ways that a picture shows, by span.
func drawn(d *result.Document) (all []Row) {
	w := Of(d)
	if w == nil {
		return nil
	}
	shown := picture.Shown(w.Ways)
	for _, span := range Spans(shown) {
		all = append(all, ByLateness(shown, span)...)
	}
	return fitting(all)
}

// fitting returns the rows that fit a picture, the first row last. An early median has no place on its axis.
func fitting(all []Row) []Row {
	all = picture.Shown(slices.DeleteFunc(all, func(r Row) bool { return r.MedianLateNS <= 0 }))
	slices.Reverse(all)
	return all
}

// drawLateness draws a mark at each median, and a band from the minimum to p99, or to the maximum without one.
func drawLateness(c draw.Canvas, d *result.Document) error {
	rows := picture.Rows{XLabel: "lateness (log scale): a mark at the median, and a band from the minimum to p99 (or max)"}
	for _, r := range drawn(d) {
		look := picture.LookOf(picture.PathOf(r.ID))
		from := r.MinLateNS
		if from <= 0 { // an early sleep, which a logarithmic axis cannot show
			from = r.MedianLateNS / 10
		}
		band := picture.Bar{From: from, To: cmp.Or(r.P99LateNS, r.MaxLateNS), Color: picture.RGB(0x56b4e9)}
		rows.Rows = append(rows.Rows, picture.Row{Name: r.Name(), Bars: []picture.Bar{band},
			Points: []picture.Point{{At: r.MedianLateNS, Glyph: look.Glyph(4 * picture.Pixel)}},
			Text:   "median " + words.Duration(r.MedianLateNS)})
	}
	rows.Draw(c)
	return nil
}

// layerLooks are the looks of the layers, in order; neighbours differ in a grey print too.
var layerLooks = []struct {
	name string
	look picture.Look
}{
	{Runtime, picture.Look{Color: picture.Parts[7], Shape: draw.BoxGlyph{}}},
	{Rounding, picture.Look{Color: picture.Parts[2], Shape: draw.BoxGlyph{}}},
	{TimerSlack, picture.Look{Color: picture.Parts[1], Shape: draw.BoxGlyph{}}},
	{LeavingIdle, picture.Look{Color: picture.Parts[5], Shape: draw.BoxGlyph{}}},
	{TheRest, picture.Look{Color: picture.Parts[0], Shape: draw.BoxGlyph{}}},
}

// layered returns the rows with layers of the shortest span.
func layered(d *result.Document) []Row {
	w := Of(d)
	if w == nil || len(Spans(w.Ways)) == 0 {
		return nil
	}
	return fitting(slices.DeleteFunc(ByLateness(w.Ways, Spans(w.Ways)[0]), func(r Row) bool { return len(r.Layers) == 0 }))
}

// drawLayers draws a stack of layers for each way, as shares of its median lateness.
func drawLayers(c draw.Canvas, d *result.Document) error {
	var entries []picture.Entry
	all := layered(d)
	rows := picture.Rows{XLabel: "share of the median lateness; on the right the whole", Max: 100,
		Ticks: picture.PercentTicks{}}
	for _, l := range layerLooks {
		if slices.ContainsFunc(all, func(r Row) bool { _, known := r.layer(l.name); return known }) {
			entries = append(entries, picture.Entry{Look: l.look, Name: l.name})
		}
	}
	for _, r := range all {
		row, at := picture.Row{Name: r.Name(), Text: words.Duration(r.MedianLateNS)}, 0.0
		for _, l := range layerLooks {
			if ns, known := r.layer(l.name); known {
				row.Bars = append(row.Bars, picture.Bar{From: at, To: at + 100*ns/r.MedianLateNS, Color: l.look.Color, Text: words.Duration(ns)})
				at += 100 * ns / r.MedianLateNS
			}
		}
		rows.Rows = append(rows.Rows, row)
	}
	rows.Draw(picture.LegendOf(c, entries))
	return nil
}
