package verify

import (
	"fmt"
	"math"
	"slices"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/picture"
	"github.com/timebench/timebench/internal/show/words"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// pictures are the pictures of a verification section.
var pictures = []picture.Chart[*result.Document]{{
	Name: "verification", Title: "Verification of each clock", Drawable: drawable, Subtitle: subtitle, Height: verificationHeight, Draw: drawVerification,
}}

func drawable(d *result.Document) bool { return Of(d) != nil && len(Of(d).Clocks) > 0 }

func subtitle(d *result.Document) string {
	return section.Caption(d, max(len(compare.Of(d).Clocks), len(Of(d).Clocks)))
}

func verificationHeight(d *result.Document) vg.Length {
	return vg.Length(len(picture.Shown(Of(d).Clocks))+1)*picture.RowHeight + 190*picture.Pixel
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
	case c.Across == nil || c.Across.SeesNS == 0:
		return alone
	default:
		return held
	}
}

// drawVerification draws a row per clock: the smallest detectable warp to the right of the
// middle, the size of its faults to the left, both on a log scale. The verdict is beside it
// in words.
func drawVerification(c draw.Canvas, d *result.Document) error {
	rows := verifiedRows{clocks: slices.Clone(picture.Shown(Of(d).Clocks))}
	slices.Reverse(rows.clocks) // the first clock is at the top
	text := picture.Style(picture.LabelSize, picture.Black)
	names := make(plot.ConstantTicks, len(rows.clocks))
	words := make([]string, len(rows.clocks))
	widest := vg.Length(0)
	var sizes []float64
	wrong := false
	for i, clock := range rows.clocks {
		names[i] = plot.Tick{Value: float64(i), Label: picture.Shortened(text, clock.ID, picture.MostNameWidth)}
		words[i] = picture.Shortened(text, verdictWords(clock), picture.MostNameWidth)
		widest = max(widest, text.Width(words[i]))
		if clock.Across != nil && clock.Across.SeesNS > 0 {
			sizes = append(sizes, clock.Across.SeesNS)
		}
		for _, f := range clock.Faults {
			wrong = true
			if f.WorstNS > 0 {
				sizes = append(sizes, f.WorstNS)
			}
		}
	}
	rows.axis = mirrorOf(sizes)
	p := picture.NewPlot()
	p.X.Min, p.X.Max = -0.6*middle, rows.axis.place(rows.axis.high)+0.3
	if wrong {
		p.X.Min = -p.X.Max
	}
	p.X.Tick.Marker = rows.axis
	p.Y.Min, p.Y.Max = -0.6, float64(len(rows.clocks))-0.4
	p.Y.Tick.Marker = names
	p.Y.Tick.Length = 0
	p.Add(rows)
	label := "smallest detectable warp (log scale)"
	if wrong {
		label = "left: size of the fault  ·  right: smallest detectable warp (log scale)"
	}
	data := picture.DrawPlot(draw.Crop(verificationLegend(c, rows.clocks), 0, -(widest+12*picture.Pixel), 0, 0), p, label, "")
	_, y := p.Transforms(&data)
	text.YAlign = draw.YCenter
	for i, clock := range rows.clocks {
		text.Color = lookOfClock(clock).Color
		c.FillText(text, vg.Point{X: data.Max.X + 12*picture.Pixel, Y: y(float64(i)) + 2*picture.Pixel}, words[i])
	}
	return nil
}

// faultNames are the words beside the row of a clock that looks picture.Failed.
var faultNames = map[string]string{
	FaultBackwards: "went backwards", FaultWarp: "warped", FaultStall: "stopped", FaultJump: "jumped",
	FaultOutside: "outside the bracket", FaultResolution: "reports another resolution", FaultFailed: "failed",
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
		case c.Across.SeesNS == 0:
			return c.Verdict + " as far as CPUs were compared"
		}
		return c.Verdict + ", to " + words.Duration(c.Across.SeesNS)
	}
	f := c.Faults[0]
	text := faultNames[f.Kind]
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
	for _, e := range []picture.Entry{{Look: held, Name: "held"}, {Look: picture.Failed, Name: "failed"}, {Look: alone, Name: "held, not all CPUs compared"}, {Look: unasked, Name: "not verified"}} {
		if slices.ContainsFunc(clocks, func(c VerifiedClock) bool { return lookOfClock(c) == e.Look }) {
			entries = append(entries, e)
		}
	}
	return picture.LegendOf(c, entries)
}

// verifiedRows draws the rows of drawVerification; row i is clock i.
type verifiedRows struct {
	clocks []VerifiedClock
	axis   mirror
}

func (rows verifiedRows) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	c.StrokeLine2(picture.Stroke(picture.Grey, picture.Pixel), x(0), c.Min.Y, x(0), c.Max.Y)
	for i, clock := range rows.clocks {
		at := y(float64(i))
		c.StrokeLine2(picture.Stroke(picture.Light, picture.Pixel), c.Min.X, at, c.Max.X, at)
		mark := func(look picture.Look, place float64) {
			c.StrokeLine2(picture.Stroke(look.Color, 3*picture.Pixel), x(0), at, x(place), at)
			c.DrawGlyph(look.Glyph(5*picture.Pixel), vg.Point{X: x(place), Y: at})
		}
		if clock.Across != nil && clock.Across.SeesNS > 0 {
			mark(held, rows.axis.place(clock.Across.SeesNS))
		}
		for _, f := range clock.Faults {
			mark(picture.Failed, -rows.axis.place(f.WorstNS))
		}
		if seen := lookOfClock(clock); seen != held && len(clock.Faults) == 0 {
			c.DrawGlyph(seen.Glyph(5*picture.Pixel), vg.Point{X: x(0), Y: at})
		}
	}
}

// A mirror is an axis of sizes that is logarithmic in both directions from the middle, which
// is empty.
type mirror struct{ low, high float64 }

// middle is the distance of the smallest sizes from the middle, in decades.
const middle = 0.5

// mirrorOf returns the axis for sizes in nanoseconds, extended to whole decades.
func mirrorOf(sizes []float64) mirror {
	if len(sizes) == 0 {
		return mirror{1, 1000}
	}
	low := math.Pow(10, math.Floor(math.Log10(slices.Min(sizes))))
	high := math.Pow(10, math.Ceil(math.Log10(slices.Max(sizes))))
	return mirror{low, max(high, low*10)}
}

// place returns the position of a size on the right side. A fault without a size is near the
// middle.
func (m mirror) place(size float64) float64 {
	if size <= 0 {
		return middle / 2
	}
	return middle + math.Log10(size/m.low)
}

// Ticks labels the decades on both sides, as many as fit.
func (m mirror) Ticks(low, _ float64) []plot.Tick {
	decades := int(math.Round(math.Log10(m.high / m.low)))
	every := 1 + decades/8
	if low < -middle {
		every = 1 + decades/4
	}
	var ticks []plot.Tick
	for i := range decades + 1 {
		place, label := middle+float64(i), ""
		if i%every == 0 {
			label = words.Duration(m.low * math.Pow10(i))
		}
		ticks = append(ticks, plot.Tick{Value: place, Label: label})
		if -place >= low {
			if i == 0 {
				label = "" // it would overlap the first one on the right
			}
			ticks = append(ticks, plot.Tick{Value: -place, Label: label})
		}
	}
	return ticks
}
