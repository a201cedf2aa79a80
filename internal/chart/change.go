package chart

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/timebench/timebench/internal/diff"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// sides says which documents a picture is of.
func sides(d *diff.Diff) string {
	return fmt.Sprintf("%s → %s", filepath.Base(d.Old.File), filepath.Base(d.New.File)) + atMost(len(d.Latencies()))
}

func hasChanges(d *diff.Diff) bool { return len(d.Latencies()) > 0 }

func changeHeight(d *diff.Diff) vg.Length {
	return vg.Length(len(shown(d.Latencies()))+1)*rowHeight + 190*pixel
}

// verdictLooks are how changes are drawn: colour and shape both tell the verdict.
var verdictLooks = []struct {
	verdict diff.Verdict
	name    string
	look    look
}{
	{diff.Slower, "slower, beyond noise", look{color: rgb(0xd55e00), shape: draw.PyramidGlyph{}}},
	{diff.Faster, "faster, beyond noise", look{color: rgb(0x009e73), shape: draw.BoxGlyph{}}},
	{diff.Unsteady, "unsteady: one of the runs changed", look{color: rgb(0xcc79a7), shape: draw.RingGlyph{}}},
	{diff.Same, "no difference beyond noise", look{color: grey, shape: draw.CircleGlyph{}}},
	{diff.TooFew, "too few samples", look{color: grey, shape: draw.CrossGlyph{}}},
}

// drawChange draws a row a clock: a mark at the change of its undisturbed cost, which the
// verdict goes by, and a bar over the interval of its median's, in per cent, or where
// something more than doubled or halved, as a factor on a logarithmic axis.
func drawChange(c draw.Canvas, d *diff.Diff) error {
	rows := changeRows{changes: shown(d.Latencies())}
	slices.Reverse(rows.changes) // the first above
	var values []float64
	names := make(plot.ConstantTicks, len(rows.changes))
	for i, change := range rows.changes {
		low, high := ends(change)
		values = append(values, low, high, factor(change.Quiet))
		names[i] = plot.Tick{Value: float64(i), Label: shortened(style(labelSize, black), change.Name(), mostNameWidth)}
	}
	low, high := slices.Min(values), slices.Max(values)
	rows.factor = low < 0.5 || high > 2
	p := newPlot()
	label := "change of the wall time of one read: undisturbed (mark), median (bar: its 95 % interval)"
	if rows.factor {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, factorTicks{}
		p.X.Min, p.X.Max = min(low, 1)/1.6, max(high, 1)*2.5
		label = "factor of the wall time of one read, logarithmic: undisturbed (mark), median (bar: its 95 % interval)"
	} else {
		room := max(0.02, math.Abs(low-1), math.Abs(high-1)) * 1.25
		p.X.Min, p.X.Max = 1-room, 1+room*1.15
		p.X.Tick.Marker = percentTicks{}
	}
	p.Y.Min, p.Y.Max = -0.6, float64(len(rows.changes))-0.4
	p.Y.Tick.Marker = names
	p.Y.Tick.Length = 0
	p.Add(rows)
	drawPlot(verdictLegend(c, rows.changes), p, label, "")
	return nil
}

// ends are the interval of new/old, or the change itself where there is none.
func ends(c diff.Change) (low, high float64) {
	if c.Confidence == 0 {
		return factor(c.Change), factor(c.Change)
	}
	return factor(c.Low), factor(c.High)
}

// factor is new/old, as far as a picture can show it: what is a millionth of what
// it was has no place on a logarithmic axis beside what is the same.
func factor(change float64) float64 {
	const farthest = 1e6
	return min(max(1+change, 1/farthest), farthest)
}

// changeRows is the plotter of drawChange: row i is change i.
type changeRows struct {
	changes []diff.Change
	factor  bool
}

func (rows changeRows) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	c.StrokeLine2(stroke(grey, pixel), x(1), c.Min.Y, x(1), c.Max.Y)
	text := style(labelSize, black)
	text.YAlign = draw.YCenter
	for i, change := range rows.changes {
		look, at := lookOfVerdict(change.Verdict), y(float64(i))
		low, high := ends(change)
		c.StrokeLine2(stroke(light, pixel), c.Min.X, at, c.Max.X, at)
		c.StrokeLine2(stroke(look.color, 2*pixel), x(low), at, x(high), at)
		for _, edge := range []float64{low, high} {
			c.StrokeLine2(stroke(look.color, 2*pixel), x(edge), at-5*pixel, x(edge), at+5*pixel)
		}
		c.DrawGlyph(look.glyph(5*pixel), vg.Point{X: x(factor(change.Quiet)), Y: at})
		if change.Verdict == diff.Slower || change.Verdict == diff.Faster {
			c.FillText(text, vg.Point{X: x(max(high, factor(change.Quiet))) + 10*pixel, Y: at + 2*pixel}, rows.word(change.Quiet))
		}
	}
}

func (rows changeRows) word(change float64) string {
	if rows.factor {
		return "× " + trimmed(1+change)
	}
	return fmt.Sprintf("%+.1f %%", change*100)
}

func lookOfVerdict(v diff.Verdict) look {
	for _, l := range verdictLooks {
		if l.verdict == v {
			return l.look
		}
	}
	return look{color: black, shape: draw.CircleGlyph{}}
}

// verdictLegend writes at the top of a canvas what the marks mean, and returns the
// rest.
func verdictLegend(c draw.Canvas, changes []diff.Change) draw.Canvas {
	var entries []entry
	for _, l := range verdictLooks {
		if slices.ContainsFunc(changes, func(c diff.Change) bool { return c.Verdict == l.verdict }) {
			entries = append(entries, entry{l.look, l.name})
		}
	}
	return legendOf(c, entries)
}

// percentTicks labels factors near 1 with the change in per cent.
type percentTicks struct{}

func (percentTicks) Ticks(low, high float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks((low-1)*100, (high-1)*100)
	for i := range ticks {
		if ticks[i].Label != "" {
			ticks[i].Label = fmt.Sprintf("%+.3g %%", ticks[i].Value)
			if ticks[i].Value == 0 {
				ticks[i].Label = "0"
			}
		}
		ticks[i].Value = 1 + ticks[i].Value/100
	}
	return ticks
}

// factorTicks labels factors.
type factorTicks struct{}

func (factorTicks) Ticks(low, high float64) []plot.Tick {
	return logTicks{func(v float64) string {
		if math.Abs(v-1) < 1e-9 {
			return "unchanged"
		}
		return "× " + trimmed(v)
	}}.Ticks(low, high)
}
