package profile

import (
	"fmt"
	"slices"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/show/picture"
	"github.com/timebench/timebench/internal/show/words"
	"gonum.org/v1/plot/vg/draw"
)

var pictures = []picture.Chart[*result.Document]{{
	Name: "profile", Title: "Share of CPU time that programs spend on reading clocks", Subtitle: subtitle,
	Of: processRows,
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

func clockPrograms(d *result.Document) []Process {
	if Of(d) == nil {
		return nil
	}
	return Of(d).readers()
}

func subtitle(d *result.Document) string {
	s := Of(d)
	return fmt.Sprintf("%s samples in %s · %s", words.Thousands(int64(s.Samples)),
		words.Duration(float64(s.DurationNS)), section.Caption(d, len(clockPrograms(d)), "programs"))
}

// processRows returns a bar for each program, the program with most CPU time in reads last.
func processRows(d *result.Document) picture.Drawing {
	all := slices.Clone(picture.Shown(clockPrograms(d)))
	slices.Reverse(all)
	most := 0.01
	for _, p := range all {
		most = max(most, p.ClockShareHigh)
	}
	rows := picture.Rows{Max: min(1, 1.05*most), Ticks: shareTicks,
		XLabel: "share of the program's CPU time, with its 95% CI"}
	for _, part := range parts {
		if slices.ContainsFunc(all, func(p Process) bool { return part.of(p) > 0 }) {
			rows.Legend = append(rows.Legend, picture.Entry{Look: part.look, Name: part.name})
		}
	}
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
	return rows
}

// shareTicks labels shares in per cent.
func shareTicks(low, high float64) []picture.Tick {
	var ticks []picture.Tick
	for _, percent := range picture.Steps(100*low, 100*high, 4) {
		ticks = append(ticks, picture.Tick{Value: percent / 100, Label: fmt.Sprintf("%.4g %%", percent)})
	}
	return ticks
}
