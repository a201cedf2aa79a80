package runtimes

import (
	"slices"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/picture"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The looks of the two parts of a call, which differ in a grey print too.
var (
	clockLook   = picture.Look{Color: picture.Parts[4], Shape: draw.BoxGlyph{}}
	runtimeLook = picture.Look{Color: picture.Parts[8], Shape: draw.BoxGlyph{}}
)

// splits returns the calls that fit into the picture and whose parts are known.
func splits(d *result.Document) []MeasuredCall {
	return byLanguage(slices.DeleteFunc(picture.Shown(measured(d)), func(m MeasuredCall) bool {
		_, ok := Of(d).split(m)
		return !ok
	}))
}

func hasSplits(d *result.Document) bool { return len(splits(d)) > 0 }

func splitHeight(d *result.Document, width vg.Length) vg.Length {
	return picture.RowsHeight(len(splits(d)), width)
}

// drawSplits draws a row for each call: the shares of its reads of clocks, and of what the runtime adds.
func drawSplits(c draw.Canvas, d *result.Document) error {
	rows := picture.Rows{XLabel: "share of the wall time per call; on the right the two parts in ns", Max: 100, Ticks: picture.PercentTicks{}}
	for _, m := range splits(d) {
		p, _ := Of(d).split(m)
		clock := picture.Bar{To: min(100*p.clockNS/m.Latency.MedianNS, 100), Color: clockLook.Color}
		runtime := picture.Bar{From: clock.To, To: 100, Color: runtimeLook.Color}
		rows.Rows = append(rows.Rows, picture.Row{Name: m.ID, Group: picture.PathOf(m.ID), Bars: []picture.Bar{clock, runtime},
			Text: p.String()})
	}
	rows.Draw(picture.LegendOf(c, []picture.Entry{
		{Look: clockLook, Name: "the clock, without a runtime"}, {Look: runtimeLook, Name: "the runtime"},
	}))
	return nil
}
