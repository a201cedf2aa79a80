package profile

import (
	"fmt"
	"slices"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/show/picture"
	"github.com/timebench/timebench/internal/show/words"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// pictures are the pictures of this section.
var pictures = []picture.Chart[*result.Document]{{
	Name: "profile", Title: "Share of CPU time that programs spend on reading clocks", Drawable: drawable,
	Subtitle: subtitle, Height: height, Draw: drawProcesses,
}}

// parts are the parts of a bar, from the left.
var parts = []struct {
	name string
	look picture.Look
	of   func(Process) float64
}{
	{"vDSO, in user mode", picture.Look{Color: picture.RGB(0x0072b2), Shape: draw.BoxGlyph{}},
		func(p Process) float64 { return p.UserShare }},
	{"kernel, called by the vDSO", picture.Look{Color: picture.RGB(0xd55e00), Shape: draw.BoxGlyph{}},
		func(p Process) float64 { return p.KernelShare }},
	{"system calls", picture.Look{Color: picture.RGB(0xe69f00), Shape: draw.BoxGlyph{}},
		func(p Process) float64 { return p.SyscallShare }},
}

// clockPrograms returns the programs that read clocks.
func clockPrograms(d *result.Document) []Process {
	if Of(d) == nil {
		return nil
	}
	return Of(d).readers()
}

// barred returns the programs of the picture, the program with most CPU time in reads last.
func barred(d *result.Document) []Process {
	all := slices.Clone(picture.Shown(clockPrograms(d)))
	slices.Reverse(all)
	return all
}

func drawable(d *result.Document) bool { return len(barred(d)) > 0 }

func subtitle(d *result.Document) string {
	s := Of(d)
	return fmt.Sprintf("%s samples in %s · %s", words.Thousands(int64(s.Samples)),
		words.Duration(float64(s.DurationNS)), section.Caption(d, len(clockPrograms(d))))
}

func height(d *result.Document, width vg.Length) vg.Length {
	return picture.RowsHeight(len(barred(d)), width)
}

// drawProcesses draws a bar for each program.
func drawProcesses(c draw.Canvas, d *result.Document) error {
	all := barred(d)
	var entries []picture.Entry
	for _, part := range parts {
		if slices.ContainsFunc(all, func(p Process) bool { return part.of(p) > 0 }) {
			entries = append(entries, picture.Entry{Look: part.look, Name: part.name})
		}
	}
	axis := axisOf(all)
	rows := picture.Rows{Max: axis.most, Ticks: axis, XLabel: "share of the program's CPU time, with its 95% CI"}
	for _, process := range all {
		row := picture.Row{Name: process.label(), Interval: &picture.Bar{From: process.ClockShareLow,
			To: process.ClockShareHigh, Color: picture.Black}}
		sum := 0.0
		for _, part := range parts {
			row.Bars = append(row.Bars, picture.Bar{From: sum, To: sum + part.of(process), Color: part.look.Color})
			sum += part.of(process)
		}
		row.Text = process.percent() + " % of " + cpus(process.CPUsUsed) + " CPUs"
		rows.Rows = append(rows.Rows, row)
	}
	rows.Draw(picture.LegendOf(c, entries))
	return nil
}

// axes are the ends of the axis, and the numbers of its steps.
var axes = []shareTicks{{0.01, 5}, {0.02, 4}, {0.05, 5}, {0.1, 5}, {0.2, 4}, {0.4, 4}, {0.6, 6}, {0.8, 4}, {1, 5}}

// axisOf returns the shortest axis that includes the highest share.
func axisOf(all []Process) shareTicks {
	most := 0.0
	for _, p := range all {
		most = max(most, p.ClockShareHigh)
	}
	for _, axis := range axes {
		if most <= axis.most {
			return axis
		}
	}
	return axes[len(axes)-1]
}

// shareTicks are the ticks from 0 to a share, in steps of the same length.
type shareTicks struct {
	most  float64
	steps int
}

// Ticks returns the ticks.
func (t shareTicks) Ticks(float64, float64) []picture.Tick {
	var ticks []picture.Tick
	for i := range t.steps + 1 {
		value := t.most * float64(i) / float64(t.steps)
		ticks = append(ticks, picture.Tick{Value: value, Label: fmt.Sprintf("%.4g %%", value*100)})
	}
	return ticks
}
