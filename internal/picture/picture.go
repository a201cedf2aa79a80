// Package picture is the toolkit of pictures: a canvas with a title, axes, graphs of lines,
// legends, colours, and how a picture becomes PNG or SVG. It knows no measurement.
//
// Every picture is 900 pixels wide, as a bug tracker shows it (drawn at twice that, for
// sharp screens), names the machine, and uses colours that colour-blind readers tell apart.
package picture

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"strings"
	"unicode/utf8"

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
	Name  string // of the file, without its ending
	Title string
	// Drawable reports whether the picture has anything to show.
	Drawable func(T) bool
	// Subtitle names what the picture is of: usually the machine.
	Subtitle func(T) string
	// Height is the height of the whole picture.
	Height func(T) vg.Length
	// Draw draws beneath title and subtitle.
	Draw func(draw.Canvas, T) error
}

// The size of a picture.
const (
	Pixel  = vg.Inch / 96 // as a screen counts them
	Width  = 900 * Pixel
	Margin = 14 * Pixel
	// sharpness is the dots an inch: two to a pixel.
	sharpness = 192
)

// A document may come from anywhere, so a picture has bounds: of the clocks that it could
// show it shows the first, and of a text no more than any width holds.
const (
	MostClocks = 100 // of a run with every clock there are some 40
	Longest    = 150 // characters
)

// Shown are those of the clocks that a picture shows.
func Shown[T any](clocks []T) []T { return clocks[:min(MostClocks, len(clocks))] }

// AtMost says that a picture may not show all of so many clocks; nothing where it does.
func AtMost(clocks int) string {
	if clocks <= MostClocks {
		return ""
	}
	return fmt.Sprintf(" · at most %d of %d clocks", MostClocks, clocks)
}

// Bounded returns a text that can be laid out in no time, and is harmless in an SVG.
func Bounded(text string) string {
	if utf8.RuneCountInString(text) > Longest {
		text = string([]rune(text)[:Longest]) + "…"
	}
	return printable.Line(text)
}

// PNG draws the picture of what is Drawable.
func (c Chart[T]) PNG(w io.Writer, of T) error {
	of = printable.All(of, Bounded)
	canvas := vgimg.NewWith(vgimg.UseWH(Width, c.Height(of)), vgimg.UseDPI(sharpness))
	if err := c.on(canvas, of); err != nil {
		return err
	}
	_, err := vgimg.PngCanvas{Canvas: canvas}.WriteTo(w)
	return err
}

// on draws the picture on a canvas of its size.
func (c Chart[T]) on(canvas vg.CanvasSizer, of T) error {
	page := draw.Crop(draw.New(canvas), Margin, -Margin, Margin, -Margin)
	if err := c.Draw(titled(page, c.Title, c.Subtitle(of)), of); err != nil {
		return fmt.Errorf("chart %s: %w", c.Name, err)
	}
	return nil
}

// titled writes title and subtitle at the top of a canvas and returns the rest.
func titled(c draw.Canvas, title, subtitle string) draw.Canvas {
	const titleSize, subtitleSize, gap = 19 * Pixel, 12.5 * Pixel, 8 * Pixel
	head, sub := Style(titleSize, Black), Style(subtitleSize, Grey)
	head.Font.Weight = Bold
	head.YAlign, sub.YAlign = draw.YTop, draw.YTop
	c.FillText(head, vg.Point{X: c.Min.X, Y: c.Max.Y}, title)
	c.FillText(sub, vg.Point{X: c.Min.X, Y: c.Max.Y - titleSize - gap}, subtitle)
	return draw.Crop(c, 0, 0, 0, -(titleSize + subtitleSize + 3*gap))
}

// NewPlot is a plot in this package's look, with nothing in it.
func NewPlot() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Tick.Label = alike(axis.Tick.Label, LabelSize, Black)
		axis.Color, axis.Tick.Color = Grey, Grey
	}
	return p
}

// DrawPlot draws a plot with what its axes show written beside them, and returns
// where its data lies. gonum's own axis labels are not used: on a logarithmic
// axis it takes them to stand off centre, and leaves room for that.
func DrawPlot(c draw.Canvas, p *plot.Plot, xLabel, yLabel string) draw.Canvas {
	const room = LabelSize + 8*Pixel
	left := room
	if yLabel == "" {
		left = 0
	}
	inner := draw.Crop(c, left, 0, room, 0)
	p.Draw(inner)
	data := p.DataCanvas(inner)
	text := Style(LabelSize, Black)
	text.XAlign = draw.XCenter
	c.FillText(text, vg.Point{X: (data.Min.X + data.Max.X) / 2, Y: c.Min.Y + 2*Pixel}, xLabel)
	text.Rotation, text.YAlign = math.Pi/2, draw.YTop
	c.FillText(text, vg.Point{X: c.Min.X, Y: (data.Min.Y + data.Max.Y) / 2}, yLabel)
	return data
}

// LabelSize is the size of text on axes and beside marks.
const LabelSize = 13 * Pixel

// Bold is the weight as golang.org/x/image/font counts it.
const Bold = 3

// Style is text in the font of the pictures.
func Style(size vg.Length, c color.Color) draw.TextStyle {
	return draw.TextStyle{Color: c, Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}, Handler: plot.DefaultTextHandler}
}

// alike is style with the alignment of another.
func alike(other draw.TextStyle, size vg.Length, c color.Color) draw.TextStyle {
	s := Style(size, c)
	s.XAlign, s.YAlign, s.Rotation = other.XAlign, other.YAlign, other.Rotation
	return s
}

// Shortened is a text as one line that takes no more than a width.
func Shortened(s draw.TextStyle, text string, most vg.Length) string {
	runes := []rune(text)
	if len(runes) <= Longest && s.Width(string(runes)) <= most {
		return string(runes)
	}
	runes = runes[:min(len(runes), Longest)]
	for len(runes) > 0 && s.Width(string(runes)+"…") > most {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "…"
}

// RowHeight is the height of a row of a picture with a row for each clock.
const RowHeight = 24 * Pixel

// Machine returns the machine that a picture of so many clocks is of, in one line.
func Machine(d *result.Document, clocks int) string {
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
	return strings.Join(parts, " · ") + AtMost(clocks)
}
