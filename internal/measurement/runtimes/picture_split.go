package runtimes

import (
	"cmp"
	"slices"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/picture"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The looks of the two parts of a call; black text is legible on both.
var (
	clockLook   = picture.Look{Color: picture.RGB(0x56b4e9), Shape: draw.BoxGlyph{}}
	runtimeLook = picture.Look{Color: picture.RGB(0xe69f00), Shape: draw.BoxGlyph{}}
)

// splits returns the calls that fit into the picture and whose parts are known, the fastest last.
func splits(d *result.Document) []MeasuredCall {
	calls := slices.DeleteFunc(picture.Shown(measured(d)), func(m MeasuredCall) bool {
		_, ok := Of(d).split(m)
		return !ok
	})
	slices.SortStableFunc(calls, func(a, b MeasuredCall) int {
		return cmp.Compare(b.Latency.MedianNS, a.Latency.MedianNS)
	})
	return calls
}

func hasSplits(d *result.Document) bool { return len(splits(d)) > 0 }

func splitHeight(d *result.Document, width vg.Length) vg.Length {
	return picture.RowsHeight(len(splits(d)), width)
}

// drawSplits draws a row for each call: the cost of its reads of clocks, and the time that the runtime adds.
func drawSplits(c draw.Canvas, d *result.Document) error {
	const least = 1 // an axis has a length
	rows := picture.Rows{XLabel: "wall time per call, in ns", Max: least, Ticks: picture.LinearTicks{}}
	for _, m := range splits(d) {
		p, _ := Of(d).split(m)
		clock := picture.Bar{To: min(p.clockNS, m.Latency.MedianNS), Color: clockLook.Color}
		runtime := picture.Bar{From: clock.To, To: m.Latency.MedianNS, Color: runtimeLook.Color}
		rows.Rows = append(rows.Rows, picture.Row{Name: m.ID, Bars: []picture.Bar{clock, runtime}, Text: p.String()})
		rows.Max = max(rows.Max, m.Latency.MedianNS)
	}
	rows.Draw(picture.LegendOf(c, []picture.Entry{
		{Look: clockLook, Name: "the clock, without a runtime"}, {Look: runtimeLook, Name: "the runtime"},
	}))
	return nil
}
