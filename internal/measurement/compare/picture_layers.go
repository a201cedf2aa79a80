package compare

import (
	"image/color"
	"slices"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/picture"
	"github.com/timebench/timebench/internal/show/words"
	"gonum.org/v1/plot/vg/draw"
)

// layerRows returns a row for each clock, the first at the top: a stack of its layers, as shares of a read, with their
// nanoseconds.
func layerRows(d *result.Document) picture.Drawing {
	clocks := picture.Shown(layered(d))
	names := layerOrder(clocks)
	rows := picture.Rows{XLabel: "share of a read, with its ns; on the right the whole read", Max: 100,
		Ticks: picture.PercentTicks}
	for _, name := range names {
		text := picture.Shortened(picture.Style(picture.LabelSize, picture.Black), name, picture.MostNameWidth)
		rows.Legend = append(rows.Legend,
			picture.Entry{Look: picture.Look{Color: layerColor(names, name), Shape: draw.BoxGlyph{}}, Name: text})
	}
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
	return rows
}

func layerColor(names []string, name string) color.RGBA {
	return picture.Parts[slices.Index(names, name)%len(picture.Parts)]
}
