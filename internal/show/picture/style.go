package picture

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The colours of text and of everything but clocks.
var (
	Black = color.RGBA{R: 0x22, G: 0x22, B: 0x22, A: 0xff}
	Grey  = color.RGBA{R: 0x70, G: 0x70, B: 0x70, A: 0xff}
	Light = color.RGBA{R: 0xdd, G: 0xdd, B: 0xdd, A: 0xff}
	Faint = color.RGBA{R: 0xf3, G: 0xf3, B: 0xf3, A: 0xff}
	White = color.RGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xff}
	// Inside is for text in bars, which stays dark where the page is dark, as bars stay bright.
	Inside = color.RGBA{R: 0x1a, G: 0x1a, B: 0x1a, A: 0xff}
)

// Parts are the colours of the parts of a bar, from the left. In a grey print, neighbours differ, and text of the
// colour Inside is legible on each.
var Parts = []color.RGBA{
	RGB(0xd2d2d2), RGB(0x56b4e9), RGB(0xf0e442), RGB(0xcc79a7), RGB(0xb9daf0), RGB(0x2aa883), RGB(0xf8cfab), RGB(0xe2762b),
	RGB(0xe69f00), RGB(0xe6e6c8),
}

// A Look is the colour and shape of the clocks of a path. Each path of a system has its own shape, for readers who see
// no colours.
type Look struct {
	Path  string
	Color color.RGBA
	Shape draw.GlyphDrawer
	// Hollow is the same shape as an outline.
	Hollow draw.GlyphDrawer
}

// Looks has the look of each path, in the colours of Okabe and Ito ("Color Universal Design",
// 2008), which colour-blind readers can distinguish.
var Looks = []Look{
	{"vdso", RGB(0x0072b2), draw.CircleGlyph{}, draw.RingGlyph{}},
	{"syscall", RGB(0xd55e00), draw.BoxGlyph{}, draw.SquareGlyph{}},
	{"cpu", RGB(0x009e73), draw.PyramidGlyph{}, draw.TriangleGlyph{}},
	{"go", RGB(0xcc79a7), diamond, outlined(diamond)},
	{"mmio", RGB(0xe69f00), downward, outlined(downward)},
	{"winapi", RGB(0x0072b2), draw.CircleGlyph{}, draw.RingGlyph{}},
	{"memory", RGB(0x56b4e9), downward, outlined(downward)},
	{"libc", RGB(0x56b4e9), draw.CircleGlyph{}, draw.RingGlyph{}},
}

// The shapes that gonum.org/v1/plot lacks.
var (
	diamond  = polygon{corners: 4, first: math.Pi / 2}
	downward = polygon{corners: 3, first: -math.Pi / 2}
)

// A polygon is a shape with equal sides; first is the direction of a corner.
type polygon struct {
	corners int
	first   float64
	hollow  bool
}

func outlined(p polygon) polygon {
	p.hollow = true
	return p
}

// DrawGlyph implements [draw.GlyphDrawer].
func (p polygon) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	const larger = 1.25 // looks as large as a circle
	var corners []vg.Point
	for i := range p.corners {
		sin, cos := math.Sincos(p.first + 2*math.Pi*float64(i)/float64(p.corners))
		corners = append(corners, vg.Point{X: at.X + larger*style.Radius*vg.Length(cos),
			Y: at.Y + larger*style.Radius*vg.Length(sin)})
	}
	if p.hollow {
		c.StrokeLines(Stroke(style.Color, vg.Points(0.5)), append(corners, corners[0], corners[1]))
		return
	}
	c.FillPolygon(style.Color, corners)
}

// Failed is the look of a fault, in every picture.
var Failed = Look{Color: RGB(0xd55e00), Shape: draw.PyramidGlyph{}}

// LookOf returns the look of a path; black for an unknown path.
func LookOf(path string) Look {
	for _, l := range Looks {
		if l.Path == path {
			return l
		}
	}
	return Look{path, Black, draw.CircleGlyph{}, draw.RingGlyph{}}
}

// RGB returns the colour of a hexadecimal number such as 0x0072b2.
func RGB(hex uint32) color.RGBA {
	return color.RGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 0xff}
}

// Glyph returns the mark of the look with a radius.
func (l Look) Glyph(radius vg.Length) draw.GlyphStyle {
	return draw.GlyphStyle{Color: l.Color, Radius: radius, Shape: l.Shape}
}

// Dashes distinguish lines of the same colour.
var Dashes = [][]vg.Length{
	nil, {6 * Pixel, 3 * Pixel}, {2 * Pixel, 2 * Pixel}, {8 * Pixel, 3 * Pixel, 2 * Pixel, 3 * Pixel},
}

// Stroke returns the style of a line.
func Stroke(c color.Color, thickness vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: c, Width: thickness}
}
