package chart

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

var (
	black = color.RGBA{R: 0x22, G: 0x22, B: 0x22, A: 0xff}
	grey  = color.RGBA{R: 0x70, G: 0x70, B: 0x70, A: 0xff}
	light = color.RGBA{R: 0xdd, G: 0xdd, B: 0xdd, A: 0xff}
	white = color.RGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xff}
)

// palette are all colours of the pictures.
var palette = func() []color.RGBA {
	all := []color.RGBA{black, grey, light, white}
	for _, l := range looks {
		if !slices.Contains(all, l.color) {
			all = append(all, l.color)
		}
	}
	return append(all, diverging...)
}()

// diverging are the shades of a heat map, from behind to ahead: blue and orange, which
// people of every colour vision tell apart, and so light that black can be read on each.
var diverging = []color.RGBA{
	rgb(0x5aa9d6), rgb(0x8cc3e4), rgb(0xb9daf0), rgb(0xe0eff8), rgb(0xf3f3f3), rgb(0xfbeadb), rgb(0xf8cfab), rgb(0xf2b07a), rgb(0xea8f4a),
}

// shade is the colour of a value on a scale that ends at most on both sides.
func shade(value, most float64) color.RGBA {
	half := len(diverging) / 2
	if most <= 0 {
		return diverging[half]
	}
	return diverging[half+int(math.Round(value/most*float64(half)))]
}

// A look is how the clocks of one path are drawn: colour and shape both tell it.
type look struct {
	path  string
	color color.RGBA
	shape draw.GlyphDrawer
	// hollow is the same shape drawn as an outline.
	hollow draw.GlyphDrawer
}

// looks are those of the paths, in the colours of Okabe and Ito ("Color Universal
// Design", 2008), which people of every colour vision tell apart.
var looks = []look{
	{"vdso", rgb(0x0072b2), draw.CircleGlyph{}, draw.RingGlyph{}},
	{"syscall", rgb(0xd55e00), draw.BoxGlyph{}, draw.SquareGlyph{}},
	{"cpu", rgb(0x009e73), draw.PyramidGlyph{}, draw.TriangleGlyph{}},
	{"go", rgb(0xcc79a7), draw.CircleGlyph{}, draw.RingGlyph{}},
	{"mmio", rgb(0xe69f00), draw.BoxGlyph{}, draw.SquareGlyph{}},
	{"winapi", rgb(0x0072b2), draw.CircleGlyph{}, draw.RingGlyph{}},
	{"memory", rgb(0x56b4e9), draw.BoxGlyph{}, draw.SquareGlyph{}},
	{"libc", rgb(0x56b4e9), draw.CircleGlyph{}, draw.RingGlyph{}},
}

// lookOf returns the look of a path; one that is not known is black.
func lookOf(path string) look {
	for _, l := range looks {
		if l.path == path {
			return l
		}
	}
	return look{path, black, draw.CircleGlyph{}, draw.RingGlyph{}}
}

func rgb(hex uint32) color.RGBA {
	return color.RGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 0xff}
}

func (l look) glyph(radius vg.Length) draw.GlyphStyle {
	return draw.GlyphStyle{Color: l.color, Radius: radius, Shape: l.shape}
}

// dashes tell lines of one colour apart.
var dashes = [][]vg.Length{
	nil, {6 * pixel, 3 * pixel}, {2 * pixel, 2 * pixel}, {8 * pixel, 3 * pixel, 2 * pixel, 3 * pixel},
}

func stroke(c color.Color, thickness vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: c, Width: thickness}
}
