package runtimes

import (
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/picture"
	"gonum.org/v1/plot/vg/draw"
)

// The looks of the two parts of a call, which differ in a grey print too.
var (
	clockLook   = picture.Look{Color: picture.Parts[4], Shape: draw.BoxGlyph{}}
	runtimeLook = picture.Look{Color: picture.Parts[8], Shape: draw.BoxGlyph{}}
)

// splitRows returns a row for each call whose parts are known: the shares of its reads of clocks, and of what the
// runtime adds.
func splitRows(d *result.Document) picture.Drawing {
	rows := picture.Rows{XLabel: "share of the wall time per call; on the right the two parts in ns", Max: 100, Ticks: picture.PercentTicks,
		Legend: []picture.Entry{{Look: clockLook, Name: "the clock, without a runtime"}, {Look: runtimeLook, Name: "the runtime"}}}
	for _, m := range byLanguage(picture.Shown(measured(d))) {
		if p, ok := Of(d).split(m); ok {
			clock := picture.Bar{To: min(100*p.clockNS/m.Latency.MedianNS, 100), Color: clockLook.Color}
			runtime := picture.Bar{From: clock.To, To: 100, Color: runtimeLook.Color}
			rows.Rows = append(rows.Rows, picture.Row{Name: m.ID, Group: picture.PathOf(m.ID), Bars: []picture.Bar{clock, runtime},
				Text: p.String()})
		}
	}
	return rows
}
