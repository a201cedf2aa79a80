package profile

import (
	"fmt"
	"slices"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/show/picture"
	"github.com/timebench/timebench/internal/show/words"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// pictures are the pictures of this section.
var pictures = []picture.Chart[*result.Document]{{
	Name: "profile", Title: "Share of CPU time that programs spend on reading clocks", Drawable: drawable, Subtitle: subtitle, Height: height, Draw: drawProcesses,
}}

// parts are the parts of a bar, from the left.
var parts = []struct {
	name string
	look picture.Look
	of   func(Process) float64
}{
	{"vDSO, in user mode", picture.Look{Color: picture.RGB(0x0072b2), Shape: draw.BoxGlyph{}}, func(p Process) float64 { return p.UserShare }},
	{"kernel, called by the vDSO", picture.Look{Color: picture.RGB(0xd55e00), Shape: draw.BoxGlyph{}}, func(p Process) float64 { return p.KernelShare }},
	{"system calls", picture.Look{Color: picture.RGB(0xe69f00), Shape: draw.BoxGlyph{}}, func(p Process) float64 { return p.SyscallShare }},
}

// clockPrograms returns the programs that read clocks.
func clockPrograms(d *result.Document) []Process {
	if Of(d) == nil {
		return nil
	}
	return Of(d).readers()
}

// barred returns the programs of the picture, the one with most CPU time in reads last.
func barred(d *result.Document) []Process {
	all := slices.Clone(picture.Shown(clockPrograms(d)))
	slices.Reverse(all)
	return all
}

func drawable(d *result.Document) bool { return len(barred(d)) > 0 }

func subtitle(d *result.Document) string {
	s := Of(d)
	return fmt.Sprintf("%s samples in %s · %s", words.Thousands(int64(s.Samples)), words.Duration(float64(s.DurationNS)), section.Caption(d, len(clockPrograms(d))))
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
	rows := picture.Rows{Max: 0.01, Ticks: percentTicks{}, XLabel: "share of the program's CPU time, with its 95% CI"}
	for _, process := range all {
		rows.Max = max(rows.Max, process.ClockShareHigh)
		row := picture.Row{Name: process.label(), Interval: &picture.Bar{From: process.ClockShareLow, To: process.ClockShareHigh, Color: picture.Black}}
		sum := 0.0
		for _, part := range parts {
			row.Bars = append(row.Bars, picture.Bar{From: sum, To: sum + part.of(process), Color: part.look.Color})
			sum += part.of(process)
		}
		row.Text = share(process.ClockShareLow) + " to " + share(process.ClockShareHigh) + " %"
		if process.ClockShare != nil {
			row.Text = share(*process.ClockShare) + " %"
		}
		row.Text += " of " + cpus(process.CPUsUsed) + " CPUs"
		rows.Rows = append(rows.Rows, row)
	}
	rows.Draw(picture.LegendOf(c, entries))
	return nil
}

// percentTicks label shares in per cent.
type percentTicks struct{}

// Ticks returns the ticks.
func (percentTicks) Ticks(low, high float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(low*100, high*100)
	for i := range ticks {
		if ticks[i].Value /= 100; ticks[i].Label != "" {
			ticks[i].Label += " %"
		}
	}
	return ticks
}
