// Package picture has the tools for pictures: a canvas with a title, axes, line graphs, legends, colours, and output as
// PNG or SVG. It is independent of the measurements.
//
// Every picture names the machine and is 900 pixels wide, as bug trackers show it, or drawn again for a telephone. A
// PNG has twice the resolution, for high-resolution screens. Colour-blind readers can distinguish its colours.
package picture

import (
	"fmt"
	"image/color"
	"image/png"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/timebench/timebench/internal/show/printable"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// A Chart is one picture of a document, or of the differences between two documents.
type Chart[T any] struct {
	Name  string // of the file, without the extension
	Title string
	// Subtitle returns the subject of the picture, usually the machine.
	Subtitle func(T) string
	// Of returns what is below the title and the subtitle; nil, or a drawing without height, if the document has no
	// data for the picture.
	Of func(T) Drawing
}

// A Drawing is a picture without its title: [Rows] or a [Graph], for example.
type Drawing interface {
	// Height returns the height of a picture of a width, with one line each for title and subtitle.
	Height(width vg.Length) vg.Length
	Draw(c draw.Canvas)
}

// Drawable reports whether the document has data for the picture.
func (c Chart[T]) Drawable(of T) bool {
	_, drawing := c.bounded(of)
	return drawing != nil && drawing.Height(Width) > 0
}

// bounded returns the document with [Bounded] texts, and its drawing: no other text reaches the layout.
func (c Chart[T]) bounded(of T) (T, Drawing) {
	of = printable.All(of, Bounded)
	return of, c.Of(of)
}

// The size of a picture.
const (
	Pixel       = vg.Inch / 96 // CSS pixel
	Width       = 900 * Pixel
	NarrowWidth = 420 * Pixel // for a telephone
	Margin      = 14 * Pixel
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

// AtMost returns the note that a picture does not show all of n things; empty if it shows them.
func AtMost(n int, things string) string {
	if n <= MostClocks {
		return ""
	}
	return fmt.Sprintf(" · at most %d of %d %s", MostClocks, n, things)
}

// Bounded returns a text that is short enough to lay out quickly and safe in an SVG.
func Bounded(text string) string {
	if utf8.RuneCountInString(text) > Longest {
		text = string([]rune(text)[:Longest]) + "…"
	}
	return printable.Line(text)
}

// PNG draws the picture as a PNG. of must be Drawable. Better compression would take half of the time of --out, and
// save 4 % of the size.
func (c Chart[T]) PNG(w io.Writer, of T) error {
	canvas, _ := c.drawn(of, Width, func(w, h vg.Length) vg.CanvasSizer {
		return vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(sharpness))
	})
	return (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(w, canvas.(*vgimg.Canvas).Image())
}

// drawn returns a new canvas of a width with the picture, and the subtitle.
func (c Chart[T]) drawn(of T, width vg.Length,
	canvas func(w, h vg.Length) vg.CanvasSizer) (on vg.CanvasSizer, subtitle string) {
	of, drawing := c.bounded(of)
	subtitle = c.Subtitle(of)
	_, _, titles, subtitles := head(c.Title, subtitle, width-2*Margin)
	height := drawing.Height(width) + vg.Length(len(titles)-1)*(titleSize+headGap/2) +
		vg.Length(len(subtitles)-1)*(subtitleSize+headGap/2)
	on = canvas(width, height)
	drawing.Draw(titled(draw.Crop(draw.New(on), Margin, -Margin, Margin, -Margin), c.Title, subtitle))
	return on, subtitle
}

// IsNarrow reports whether a picture or a part of it is for a telephone.
func IsNarrow(width vg.Length) bool { return width < 600*Pixel }

// The sizes of the title and the subtitle, and the distance of their lines.
const (
	titleSize    = 19 * Pixel
	subtitleSize = 12.5 * Pixel
	headGap      = 8 * Pixel
)

func head(title, subtitle string, width vg.Length) (black, grey draw.TextStyle, titles, subtitles []string) {
	black, grey = Style(titleSize, Black), Style(subtitleSize, Grey)
	black.YAlign, grey.YAlign = draw.YTop, draw.YTop
	return black, grey, Wrapped(black, title, width), Wrapped(grey, subtitle, width)
}

// titled draws title and subtitle at the top of a canvas and returns the remaining canvas.
func titled(c draw.Canvas, title, subtitle string) draw.Canvas {
	black, grey, titles, subtitles := head(title, subtitle, c.Size().X)
	at := c.Max.Y
	for _, line := range titles {
		c.FillText(black, vg.Point{X: c.Min.X, Y: at}, line)
		at -= titleSize + headGap/2
	}
	at -= headGap / 2
	for _, line := range subtitles {
		c.FillText(grey, vg.Point{X: c.Min.X, Y: at}, line)
		at -= subtitleSize + headGap/2
	}
	return draw.Crop(c, 0, 0, 0, at-c.Max.Y-1.5*headGap)
}

// note draws a text in grey at the top of a canvas, in as many lines as it needs, and returns the
// remaining canvas.
func note(c draw.Canvas, text string) draw.Canvas {
	grey := Style(LabelSize, Grey)
	grey.YAlign = draw.YTop
	lines := Wrapped(grey, text, c.Size().X)
	for i, line := range lines {
		c.FillText(grey, vg.Point{X: c.Min.X, Y: c.Max.Y - vg.Length(i)*LineApart}, line)
	}
	return draw.Crop(c, 0, 0, 0, -vg.Length(len(lines))*LineApart-8*Pixel)
}

// DrawPlot draws a plot with labels, as [Plot.Draw] does. The label of the x axis is below it. The label of the y axis
// is above it, in as many lines as it needs.
func DrawPlot(c draw.Canvas, p *Plot, xLabel, yLabel string, plot func(draw.Canvas, *Plot)) draw.Canvas {
	if yLabel != "" {
		c = note(c, yLabel)
	}
	text := Style(LabelSize, Black)
	text.XAlign = draw.XCenter
	lines := Wrapped(text, xLabel, c.Size().X)
	data := p.Draw(draw.Crop(c, 0, 0, vg.Length(len(lines))*LineApart+5*Pixel, 0), plot)
	for i, line := range lines {
		half := text.Width(line) / 2
		middle := max(min((data.Min.X+data.Max.X)/2, c.Max.X-half), c.Min.X+half)
		c.FillText(text, vg.Point{X: middle, Y: c.Min.Y + 2*Pixel + vg.Length(len(lines)-1-i)*LineApart}, line)
	}
	return data
}

// LabelSize is the font size of axes and labels.
const LabelSize = 13 * Pixel

// Style returns a text style in the font of the pictures.
func Style(size vg.Length, c color.Color) draw.TextStyle {
	return draw.TextStyle{Color: c, Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		Handler: fonts()}
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

// Wrapped returns a text in lines of a maximum width. A longer word is cut.
func Wrapped(s draw.TextStyle, text string, most vg.Length) []string {
	lines := []string{""}
	for _, word := range strings.Fields(Bounded(text)) {
		last := len(lines) - 1
		switch longer := strings.TrimSpace(lines[last] + " " + word); {
		case s.Width(longer) <= most:
			lines[last] = longer
		case lines[last] == "":
			lines[last] = Shortened(s, word, most)
		default:
			lines = append(lines, Shortened(s, word, most))
		}
	}
	return lines
}
