// Package picture has the tools for pictures: a canvas with a title, axes, line graphs,
// legends, colours, and output as PNG or SVG. It knows no measurement.
//
// Every picture names the machine and is 900 pixels wide, as bug trackers show it; a PNG has
// twice the resolution, for high-resolution screens. Colour-blind readers can distinguish its
// colours.
package picture

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"unicode/utf8"

	"github.com/timebench/timebench/internal/show/printable"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// A Chart is one picture of a document, or of the differences between two documents.
type Chart[T any] struct {
	Name  string // of the file, without the extension
	Title string
	// Drawable reports whether there is anything to draw.
	Drawable func(T) bool
	// Subtitle returns the subject of the picture, usually the machine.
	Subtitle func(T) string
	// Height returns the height of the whole picture.
	Height func(T) vg.Length
	// Draw draws below the title and the subtitle.
	Draw func(draw.Canvas, T) error
}

// The size of a picture.
const (
	Pixel  = vg.Inch / 96 // CSS pixel
	Width  = 900 * Pixel
	Margin = 14 * Pixel
	// sharpness is the resolution in dots per inch: two per pixel.
	sharpness = 192
)

// A document can come from anywhere, so a picture limits the number of clocks (it shows the
// first ones) and the length of a text.
const (
	MostClocks = 100 // a run with every clock has about 40
	Longest    = 150 // characters
)

// Shown returns the clocks that a picture shows: the first MostClocks.
func Shown[T any](clocks []T) []T { return clocks[:min(MostClocks, len(clocks))] }

// AtMost returns the note that a picture may not show all clocks; empty if it shows all.
func AtMost(clocks int) string {
	if clocks <= MostClocks {
		return ""
	}
	return fmt.Sprintf(" · at most %d of %d clocks", MostClocks, clocks)
}

// Bounded returns a text that is short enough to lay out quickly and safe in an SVG.
func Bounded(text string) string {
	if utf8.RuneCountInString(text) > Longest {
		text = string([]rune(text)[:Longest]) + "…"
	}
	return printable.Line(text)
}

// PNG draws the picture as a PNG. of must be Drawable.
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

// titled draws title and subtitle at the top of a canvas and returns the remaining canvas.
func titled(c draw.Canvas, title, subtitle string) draw.Canvas {
	const titleSize, subtitleSize, gap = 19 * Pixel, 12.5 * Pixel, 8 * Pixel
	head, sub := Style(titleSize, Black), Style(subtitleSize, Grey)
	head.Font.Weight = Bold
	head.YAlign, sub.YAlign = draw.YTop, draw.YTop
	c.FillText(head, vg.Point{X: c.Min.X, Y: c.Max.Y}, title)
	c.FillText(sub, vg.Point{X: c.Min.X, Y: c.Max.Y - titleSize - gap}, subtitle)
	return draw.Crop(c, 0, 0, 0, -(titleSize + subtitleSize + 3*gap))
}

// NewPlot returns an empty plot in the style of the pictures.
func NewPlot() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Tick.Label = alike(axis.Tick.Label, LabelSize, Black)
		axis.Color, axis.Tick.Color = Grey, Grey
	}
	return p
}

// DrawPlot draws a plot with labels at its axes and returns the canvas of its data. It does
// not use gonum's axis labels: on a logarithmic axis gonum takes them to be off centre and
// leaves space for that.
func DrawPlot(c draw.Canvas, p *plot.Plot, xLabel, yLabel string) draw.Canvas {
	const room = LabelSize + 8*Pixel
	left := room
	if yLabel == "" {
		left = 0
	}
	inner := draw.Crop(c, left, 0, room, 0)
	p.X.Tick.Marker = apart(p, inner)
	p.Draw(inner)
	data := p.DataCanvas(inner)
	text := Style(LabelSize, Black)
	text.XAlign = draw.XCenter
	c.FillText(text, vg.Point{X: (data.Min.X + data.Max.X) / 2, Y: c.Min.Y + 2*Pixel}, xLabel)
	text.Rotation, text.YAlign = math.Pi/2, draw.YTop
	c.FillText(text, vg.Point{X: c.Min.X, Y: (data.Min.Y + data.Max.Y) / 2}, yLabel)
	return data
}

// LabelSize is the font size of axes and labels.
const LabelSize = 13 * Pixel

// Bold is the font weight for bold text, as defined by golang.org/x/image/font.
const Bold = 3

// Style returns a text style in the font of the pictures.
func Style(size vg.Length, c color.Color) draw.TextStyle {
	return draw.TextStyle{Color: c, Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}, Handler: plot.DefaultTextHandler}
}

// alike returns a Style with the alignment and the rotation of another.
func alike(other draw.TextStyle, size vg.Length, c color.Color) draw.TextStyle {
	s := Style(size, c)
	s.XAlign, s.YAlign, s.Rotation = other.XAlign, other.YAlign, other.Rotation
	return s
}

// Shortened returns a text cut to a maximum width, with an ellipsis if it was cut.
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
