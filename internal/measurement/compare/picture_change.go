package compare

import (
	"fmt"
	"math"
	"slices"

	"github.com/timebench/timebench/internal/show/picture"
	"github.com/timebench/timebench/internal/show/words"
	"gonum.org/v1/plot/vg/draw"
)

// verdictLooks are the looks of the verdicts. Both colour and shape identify the verdict.
var verdictLooks = []struct {
	verdict Verdict
	name    string
	look    picture.Look
}{
	{Slower, "slower", picture.Look{Color: picture.RGB(0xd55e00), Shape: draw.PyramidGlyph{}}},
	{Faster, "faster", picture.Look{Color: picture.RGB(0x009e73), Shape: draw.BoxGlyph{}}},
	{Unsteady, "unsteady: measure again", picture.Look{Color: picture.RGB(0xcc79a7), Shape: draw.RingGlyph{}}},
	{Same, "no significant difference", picture.Look{Color: picture.Grey, Shape: draw.CircleGlyph{}}},
	{TooFew, "too few samples", picture.Look{Color: picture.Grey, Shape: draw.CrossGlyph{}}},
}

// ChangeRows returns a row for each clock: a mark at the change of its latency, and a bar for its interval, if known.
// The axis shows per cent, or ratios on a log scale if any clock more than doubled or halved.
func ChangeRows(changes []Change) picture.Rows {
	if len(changes) == 0 {
		return picture.Rows{}
	}
	changes = slices.Clone(picture.Shown(changes))
	slices.Reverse(changes) // the first clock is at the top
	var values []float64
	for _, change := range changes {
		low, high := ends(change)
		values = append(values, low, high, factor(change.Change))
	}
	low, high := slices.Min(values), slices.Max(values)
	rows := picture.Rows{Legend: verdictLegend(changes), Middle: 1, Word: times,
		XLabel: "ratio of the wall time per read, log scale"}
	word := func(change float64) string { return times(1 + change) }
	if low >= 0.5 && high <= 2 {
		room := max(0.02, math.Abs(low-1), math.Abs(high-1)) * 1.25
		rows.Min, rows.Max, rows.Ticks = 1-room, 1+room, changeTicks
		rows.XLabel = "change of the wall time per read"
		word = func(change float64) string { return fmt.Sprintf("%+.1f %%", change*100) }
	}
	if slices.ContainsFunc(changes, func(c Change) bool { return c.Confidence > 0 }) {
		rows.XLabel += " (bar: its 99% CI)"
	}
	for _, change := range changes {
		look := lookOfVerdict(change.Verdict)
		row := picture.Row{
			Name:   change.Name(),
			Points: []picture.Point{{At: factor(change.Change), Glyph: look.Glyph(5 * picture.Pixel)}},
		}
		if change.Confidence > 0 {
			low, high := ends(change)
			row.Interval = &picture.Bar{From: low, To: high, Color: look.Color}
		}
		if change.Verdict == Slower || change.Verdict == Faster {
			row.Text = word(change.Change)
		}
		rows.Rows = append(rows.Rows, row)
	}
	return rows
}

// times returns a ratio as the label of an axis.
func times(ratio float64) string {
	if math.Abs(ratio-1) < 1e-9 {
		return "unchanged"
	}
	return "× " + words.ThreeDigits(ratio)
}

// ends returns the bounds of new/old, or the ratio itself without an interval.
func ends(c Change) (low, high float64) {
	if c.Confidence == 0 {
		return factor(c.Change), factor(c.Change)
	}
	return factor(c.Low), factor(c.High)
}

// factor returns new/old, limited to a range from a millionth to a million. A wider axis would
// hide the differences between the other clocks.
func factor(change float64) float64 {
	const farthest = 1e6
	return min(max(1+change, 1/farthest), farthest)
}

func lookOfVerdict(v Verdict) picture.Look {
	for _, l := range verdictLooks {
		if l.verdict == v {
			return l.look
		}
	}
	return picture.Look{Color: picture.Black, Shape: draw.CircleGlyph{}}
}

func verdictLegend(changes []Change) []picture.Entry {
	var entries []picture.Entry
	for _, l := range verdictLooks {
		if slices.ContainsFunc(changes, func(c Change) bool { return c.Verdict == l.verdict }) {
			entries = append(entries, picture.Entry{Look: l.look, Name: l.name})
		}
	}
	return entries
}

// changeTicks labels ratios near 1 with the change in per cent.
func changeTicks(low, high float64) []picture.Tick {
	var ticks []picture.Tick
	for _, change := range picture.Steps((low-1)*100, (high-1)*100, 3) {
		label := "0" // not +0 %
		if change != 0 {
			label = fmt.Sprintf("%+.3g %%", change)
		}
		ticks = append(ticks, picture.Tick{Value: 1 + change/100, Label: label})
	}
	return ticks
}
