// Package chart draws pictures of a result document: what a bug report shows
// before anyone reads a number.
//
// Every picture is 900 pixels wide as a bug tracker shows it (drawn at twice
// that, for sharp screens), says on itself which machine it is of, and uses
// colours that colour-blind readers tell apart. No label lies on another: those
// of lines stand in a column beside the plot, those of points look for a free
// place (labels.go).
//
// A new picture is one file here and one entry in [Charts].
package chart

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/timebench/timebench/internal/diff"
	"github.com/timebench/timebench/internal/printable"
	"github.com/timebench/timebench/internal/result"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// A Chart is one picture of a document, or of what two documents differ in.
type Chart[T any] struct {
	Name  string // the file's, without its ending
	Title string
	// Drawable reports whether there is what the picture shows.
	Drawable func(T) bool
	// subtitle says what the picture is of.
	subtitle func(T) string
	// height is how high the picture is.
	height func(T) vg.Length
	draw   func(draw.Canvas, T) error
}

// Charts are the pictures of a document, in the order of a report.
var Charts = []Chart[*result.Document]{
	{"latency", "What one read of each clock costs", hasLatency, machine, latencyHeight, drawLatency},
	{"cost-vs-resolution", "Cost of a clock against its resolution", hasResolution, machine, scatterHeight, drawScatter},
	{"time-per-read", "Wall time of one read, as one thread sees it", hasThroughput, machine, linesHeight, drawTimePerRead},
	{"reads-per-second", "Reads a second of all threads together", hasThroughput, machine, linesHeight, drawReadsPerSecond},
	{"clock-sources", "What one read costs under each clock source", hasSources, machine, sourcesHeight, drawSources},
	{"clock-sources-scaling", "Reads a second under each clock source", hasSourceScaling, machine, sourceScalingHeight, drawSourceScaling},
	{"distribution", "How long single reads take", hasDistribution, machine, distributionHeight, drawDistribution},
	{"verification", "Whether each clock can be trusted", hasVerification, machine, verificationHeight, drawVerification},
	{"skew", "How far a clock is apart between CPUs", hasSkew, machine, skewHeight, drawSkew},
	{"drift", "How far clocks get ahead of a reference", hasDrift, driftSubtitle, driftHeight, drawDrift},
}

// DiffCharts are the pictures of a diff.
var DiffCharts = []Chart[*diff.Diff]{
	{"change", "What one read costs now, against before", hasChanges, sides, changeHeight, drawChange},
}

const (
	pixel  = vg.Inch / 96 // as a screen counts them
	width  = 900 * pixel
	margin = 14 * pixel
	// sharpness is the dots an inch: two to a pixel.
	sharpness = 192
)

// A document may come from anywhere, so a picture has bounds: of the clocks that it could
// show it shows the first, and of a text no more than any width holds.
const (
	mostClocks = 100 // of a run with every clock there are some 40
	longest    = 150 // characters
)

// shown are those of the clocks that a picture shows.
func shown[T any](clocks []T) []T { return clocks[:min(mostClocks, len(clocks))] }

// atMost says that a picture may not show all of so many clocks; nothing where it does.
func atMost(clocks int) string {
	if clocks <= mostClocks {
		return ""
	}
	return fmt.Sprintf(" · at most %d of %d clocks", mostClocks, clocks)
}

// bounded returns a text that can be laid out in no time, and is harmless in an SVG.
func bounded(text string) string {
	if utf8.RuneCountInString(text) > longest {
		text = string([]rune(text)[:longest]) + "…"
	}
	return printable.Line(text)
}

// PNG draws the picture of what is Drawable.
func (c Chart[T]) PNG(w io.Writer, of T) error {
	of = printable.All(of, bounded)
	canvas := vgimg.NewWith(vgimg.UseWH(width, c.height(of)), vgimg.UseDPI(sharpness))
	if err := c.on(canvas, of); err != nil {
		return err
	}
	_, err := vgimg.PngCanvas{Canvas: canvas}.WriteTo(w)
	return err
}

// on draws the picture on a canvas of its size.
func (c Chart[T]) on(canvas vg.CanvasSizer, of T) error {
	page := draw.Crop(draw.New(canvas), margin, -margin, margin, -margin)
	if err := c.draw(titled(page, c.Title, c.subtitle(of)), of); err != nil {
		return fmt.Errorf("chart %s: %w", c.Name, err)
	}
	return nil
}

// titled writes title and subtitle at the top of a canvas and returns the rest.
func titled(c draw.Canvas, title, subtitle string) draw.Canvas {
	const titleSize, subtitleSize, gap = 19 * pixel, 12.5 * pixel, 8 * pixel
	head, sub := style(titleSize, black), style(subtitleSize, grey)
	head.Font.Weight = bold
	head.YAlign, sub.YAlign = draw.YTop, draw.YTop
	c.FillText(head, vg.Point{X: c.Min.X, Y: c.Max.Y}, title)
	c.FillText(sub, vg.Point{X: c.Min.X, Y: c.Max.Y - titleSize - gap}, subtitle)
	return draw.Crop(c, 0, 0, 0, -(titleSize + subtitleSize + 3*gap))
}

// machine says in one line which machine a picture is of.
func machine(d *result.Document) string {
	parts := []string{strings.TrimSpace(d.Host.OS + "/" + d.Host.Arch + " " + d.Host.Kernel)}
	if w := d.Host.Windows; w != nil && w.Wine != nil {
		parts = append(parts, "Wine "+w.Wine.Version+", not Windows")
	}
	if d.Host.CPU.Model != "" {
		parts = append(parts, d.Host.CPU.Model)
	}
	if v := d.Host.Virtualization; v != nil {
		parts = append(parts, v.System+" "+v.Role)
	}
	if s := d.Host.ClockSource; s != nil {
		parts = append(parts, "clock source "+s.Current)
	}
	parts = append(parts, "timebench "+d.Tool.Version)
	clocks := len(d.Clocks)
	if d.Verification != nil {
		clocks = max(clocks, len(d.Verification.Clocks))
	}
	if d.Drift != nil {
		clocks = max(clocks, len(d.Drift.Clocks))
	}
	return strings.Join(parts, " · ") + atMost(clocks)
}

// newPlot is a plot in this package's look, with nothing in it.
func newPlot() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Tick.Label = alike(axis.Tick.Label, labelSize, black)
		axis.Color, axis.Tick.Color = grey, grey
	}
	return p
}

// drawPlot draws a plot with what its axes show written beside them, and returns
// where its data lies. gonum's own axis labels are not used: on a logarithmic
// axis it takes them to stand off centre, and leaves room for that.
func drawPlot(c draw.Canvas, p *plot.Plot, xLabel, yLabel string) draw.Canvas {
	const room = labelSize + 8*pixel
	left := room
	if yLabel == "" {
		left = 0
	}
	inner := draw.Crop(c, left, 0, room, 0)
	p.Draw(inner)
	data := p.DataCanvas(inner)
	text := style(labelSize, black)
	text.XAlign = draw.XCenter
	c.FillText(text, vg.Point{X: (data.Min.X + data.Max.X) / 2, Y: c.Min.Y + 2*pixel}, xLabel)
	text.Rotation, text.YAlign = math.Pi/2, draw.YTop
	c.FillText(text, vg.Point{X: c.Min.X, Y: (data.Min.Y + data.Max.Y) / 2}, yLabel)
	return data
}

const labelSize = 13 * pixel

// bold is the weight as golang.org/x/image/font counts it.
const bold = 3

// style is text in the font of the pictures.
func style(size vg.Length, c color.Color) draw.TextStyle {
	return draw.TextStyle{Color: c, Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}, Handler: plot.DefaultTextHandler}
}

// alike is style with the alignment of another.
func alike(other draw.TextStyle, size vg.Length, c color.Color) draw.TextStyle {
	s := style(size, c)
	s.XAlign, s.YAlign, s.Rotation = other.XAlign, other.YAlign, other.Rotation
	return s
}

// measured returns the clocks that have a latency, in the document's order: the first.
func measured(d *result.Document) []result.Clock {
	var clocks []result.Clock
	for _, c := range d.Clocks {
		if c.Available && c.Latency != nil && c.Latency.MedianNS > 0 {
			clocks = append(clocks, c)
		}
	}
	return shown(clocks)
}

func hasLatency(d *result.Document) bool { return len(measured(d)) > 0 }
