package wake

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
	{Name: "wake", Title: "How late sleeps end", Subtitle: subtitle, Of: latenessRows},
	{Name: "wake-layers", Title: "Where the lateness of a sleep goes", Subtitle: subtitle, Of: layerRows},
}

func subtitle(d *result.Document) string {
	available := slices.DeleteFunc(slices.Clone(Of(d).Ways), func(w SleepWay) bool { return !w.Available })
	return section.Caption(d, len(available), "ways")
}

// drawn returns the rows that fit a picture, by span, the first row last. An early median has no place on the axis.
func drawn(d *result.Document) (all []Row) {
	if w := Of(d); w != nil {
		shown := picture.Shown(w.Ways)
		for _, span := range Spans(shown) {
			all = append(all, ByLateness(shown, span)...)
		}
	}
	all = picture.Shown(slices.DeleteFunc(all, func(r Row) bool { return r.MedianLateNS <= 0 }))
	slices.Reverse(all)
	return all
}

// latenessRows returns rows with a mark at each median, and a band from the minimum to p99, or to the maximum without
// one.
func latenessRows(d *result.Document) picture.Drawing {
	rows := picture.Rows{XLabel: "lateness (log scale): a mark at the median, and a band from the minimum to p99 (or max)"}
	for _, r := range drawn(d) {
		from := r.MinLateNS
		if from <= 0 { // an early sleep, which a logarithmic axis cannot show
			from = r.MedianLateNS / 10
		}
		look := picture.LookOf(picture.PathOf(r.ID))
		rows.Rows = append(rows.Rows, picture.Row{Name: r.Name(), Text: "median " + words.Duration(r.MedianLateNS),
			Bars:   []picture.Bar{{From: from, To: cmp.Or(r.P99LateNS, r.MaxLateNS), Color: picture.RGB(0x56b4e9)}},
			Points: []picture.Point{{At: r.MedianLateNS, Glyph: look.Glyph(4 * picture.Pixel)}}})
	}
	return rows
}

// layerRows returns a stack of layers for each way, as shares of its median lateness.
func layerRows(d *result.Document) picture.Drawing {
	rows := picture.Rows{XLabel: "share of the median lateness; on the right the whole", Max: 100,
		Ticks: picture.PercentTicks}
	shown := map[string]bool{}
	for _, r := range drawn(d) {
		if len(r.Layers) == 0 || r.SpanNS > Spans(Of(d).Ways)[0] {
			continue // the shortest span only
		}
		row, at := picture.Row{Name: r.Name(), Text: words.Duration(r.MedianLateNS)}, 0.0
		for _, l := range layers {
			if ns := r.layer(l.name); ns > 0 {
				bar := picture.Bar{From: at, To: at + 100*ns/r.MedianLateNS, Color: picture.Parts[l.part], Text: words.Duration(ns)}
				row.Bars, at, shown[l.name] = append(row.Bars, bar), bar.To, true
			}
		}
		rows.Rows = append(rows.Rows, row)
	}
	for _, l := range layers {
		if shown[l.name] {
			look := picture.Look{Color: picture.Parts[l.part], Shape: draw.BoxGlyph{}}
			rows.Legend = append(rows.Legend, picture.Entry{Look: look, Name: l.name})
		}
	}
	return rows
}
