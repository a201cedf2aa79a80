// Package liberation stands in for gonum.org/v1/plot/font/liberation in release
// builds. That package links twelve fonts, 4.4 MB of them, of which the charts draw
// with two and measure empty labels with another; this one has the same function and
// those three. release/prepare puts it in place, and release/check holds the pictures of
// the two builds against each other.
package liberation

import (
	"sync"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"codeberg.org/go-fonts/liberation/liberationserifregular"
	stdfont "golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"gonum.org/v1/plot/font"
)

// Collection returns the fonts, the library's default first. It panics when what was
// built in is no font.
var Collection = sync.OnceValue(func() font.Collection {
	return font.Collection{
		face("Serif", stdfont.WeightNormal, liberationserifregular.TTF),
		face("Sans", stdfont.WeightNormal, liberationsansregular.TTF),
		face("Sans", stdfont.WeightBold, liberationsansbold.TTF),
	}
})

func face(variant font.Variant, weight stdfont.Weight, ttf []byte) font.Face {
	parsed, err := opentype.Parse(ttf)
	if err != nil {
		panic(err)
	}
	return font.Face{Font: font.Font{Typeface: "Liberation", Variant: variant, Weight: weight}, Face: parsed}
}
