package verify

import (
	"fmt"
	"slices"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/picture"
	"github.com/timebench/timebench/internal/show/words"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// pictures are the pictures of a verification section.
var pictures = []picture.Chart[*result.Document]{{
	Name: "verification", Title: "Verification of each clock", Drawable: drawable, Subtitle: subtitle,
	Height: verificationHeight, Draw: drawVerification,
}}

func drawable(d *result.Document) bool { return Of(d) != nil && len(Of(d).Clocks) > 0 }

func subtitle(d *result.Document) string {
	return section.Caption(d, max(len(compare.Of(d).Clocks), len(Of(d).Clocks)))
}

func verificationHeight(d *result.Document, width vg.Length) vg.Length {
	return picture.RowsHeight(len(picture.Shown(Of(d).Clocks)), width)
}

// The looks of the verdicts. Both colour and shape identify the verdict.
var (
	held    = picture.Look{Color: picture.RGB(0x009e73), Shape: draw.CircleGlyph{}}
	alone   = picture.Look{Color: picture.RGB(0x0072b2), Shape: draw.RingGlyph{}}
	unasked = picture.Look{Color: picture.Grey, Shape: draw.CrossGlyph{}}
)

// lookOfClock returns the look of a clock's row.
func lookOfClock(c VerifiedClock) picture.Look {
	switch {
	case len(c.Faults) > 0 || c.Verdict == Backwards || c.Verdict == Faulty:
		return picture.Failed
	case c.Verdict == Unverified:
		return unasked
	case c.Across == nil || c.Across.SmallestWarpNS == 0:
		return alone
	default:
		return held
	}
}

// drawVerification draws a row per clock: a grey bar over the warps that are too small to be seen, a
// mark at its end or at the size of each fault, and the verdict in words. A long bar is a weak check.
func drawVerification(c draw.Canvas, d *result.Document) error {
	rows := picture.Rows{XLabel: "size of a warp or of a fault (log scale)"}
	clocks := slices.Clone(picture.Shown(Of(d).Clocks))
	slices.Reverse(clocks) // the first clock is at the top
	for _, clock := range clocks {
		row, look := picture.Row{Name: clock.ID, Text: verdictWords(clock)}, lookOfClock(clock)
		seen := 0.0
		if clock.Across != nil {
			seen = clock.Across.SmallestWarpNS
		}
		row.Bars = []picture.Bar{{To: seen, Color: picture.Light}}
		for _, f := range clock.Faults {
			row.Points = append(row.Points, picture.Point{At: f.WorstNS, Glyph: look.Glyph(5 * picture.Pixel)})
		}
		if row.Points == nil {
			row.Points = []picture.Point{{At: seen, Glyph: look.Glyph(5 * picture.Pixel)}}
		}
		rows.Rows = append(rows.Rows, row)
	}
	rows.Draw(verificationLegend(c, clocks))
	return nil
}

// verdictWords returns the verdict on a clock in a few words.
func verdictWords(c VerifiedClock) string {
	if len(c.Faults) == 0 {
		if c.Verdict == OneCPU {
			return "on one CPU only"
		}
		switch {
		case c.Verdict == Unverified:
			return c.Verdict
		case c.Across == nil:
			return c.Verdict + " on each thread"
		case c.Across.SmallestWarpNS == 0:
			return c.Verdict + " as far as CPUs were compared"
		}
		return c.Verdict + ", to " + words.Duration(c.Across.SmallestWarpNS)
	}
	f := c.Faults[0]
	text := faultWords[f.Kind].short
	if f.Kind == FaultWarp {
		text += " between CPUs"
	}
	if f.Kind != FaultResolution {
		text += fmt.Sprintf(" %d×", f.Count)
		if f.WorstNS > 0 {
			text += ", " + words.Duration(f.WorstNS)
		}
	}
	if more := len(c.Faults) - 1; more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text
}

func verificationLegend(c draw.Canvas, clocks []VerifiedClock) draw.Canvas {
	var entries []picture.Entry
	for _, e := range []picture.Entry{{Look: held, Name: "held"}, {Look: picture.Failed, Name: "failed"},
		{Look: alone, Name: "held, not all CPUs compared"}, {Look: unasked, Name: "not verified"}} {
		if slices.ContainsFunc(clocks, func(c VerifiedClock) bool { return lookOfClock(c) == e.Look }) {
			entries = append(entries, e)
		}
	}
	blind := picture.Look{Color: picture.Light, Shape: draw.BoxGlyph{}}
	return picture.LegendOf(c, append(entries, picture.Entry{Look: blind, Name: "smaller warps would not be seen"}))
}
