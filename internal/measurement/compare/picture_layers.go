package compare

import (
	"image/color"
	"slices"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/picture"
	"github.com/timebench/timebench/internal/show/words"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

func hasLayers(d *result.Document) bool { return len(layered(d)) > 0 }

func layersHeight(d *result.Document, width vg.Length) vg.Length {
	const perLine = 3 // layers in the legend
	clocks := picture.Shown(layered(d))
	return picture.RowsHeight(len(clocks), width) + vg.Length(len(layerOrder(clocks))/perLine)*picture.LineApart
}

// drawLayers draws a row for each clock, the first at the top: a stack of its layers, as shares of a read, with their
// nanoseconds.
func drawLayers(c draw.Canvas, d *result.Document) error {
	clocks := picture.Shown(layered(d))
	names := layerOrder(clocks)
	var entries []picture.Entry
	for _, name := range names {
		text := picture.Shortened(picture.Style(picture.LabelSize, picture.Black), name, picture.MostNameWidth)
		entries = append(entries,
			picture.Entry{Look: picture.Look{Color: layerColor(names, name), Shape: draw.BoxGlyph{}}, Name: text})
	}
	rows := picture.Rows{XLabel: "share of a read, with its ns; on the right the whole read", Max: 100,
		Ticks: picture.PercentTicks{}}
	for _, clock := range slices.Backward(clocks) {
		row := picture.Row{Name: clock.ID, Text: words.Duration(clock.Latency.MedianNS)}
		sum, at := sumNS(clock.Layers), 0.0
		for _, l := range clock.Layers {
			bar := picture.Bar{From: at, To: at + 100*l.NS/sum, Color: layerColor(names, l.Name), Text: words.NS(l.NS)}
			at = bar.To
			row.Bars = append(row.Bars, bar)
		}
		rows.Rows = append(rows.Rows, row)
	}
	rows.Draw(picture.LegendOf(c, entries))
	return nil
}

func layerColor(names []string, name string) color.RGBA {
	return picture.Parts[slices.Index(names, name)%len(picture.Parts)]
}
