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

// layerColors are the colors of the layers in the order of [layerOrder]; black text is legible on each.
var layerColors = []color.RGBA{
	picture.Light, picture.RGB(0x56b4e9), picture.RGB(0xe69f00), picture.RGB(0xcc79a7),
	picture.RGB(0x009e73), picture.RGB(0xf8cfab), picture.RGB(0xd55e00), picture.RGB(0xb9daf0),
	picture.RGB(0xf0e442),
}

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
		Ticks: percent{}}
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
	return layerColors[slices.Index(names, name)%len(layerColors)]
}

// percent labels shares of 100.
type percent struct{}

// Ticks implements picture.Ticker.
func (percent) Ticks(_, _ float64) []picture.Tick {
	return []picture.Tick{{Value: 0, Label: "0 %"}, {Value: 25, Label: "25 %"}, {Value: 50, Label: "50 %"},
		{Value: 75, Label: "75 %"}, {Value: 100, Label: "100 %"}}
}
