package picture

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"regexp"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// SVG draws the picture, laid out for a width, as an element for an HTML page, as wide as its container
// and with a label for screen readers. of must be Drawable.
//
// The page can change the colours: #0072B2 is var(--c-0072b2, #0072B2). Without a style sheet
// the picture looks like the PNG.
func (c Chart[T]) SVG(w io.Writer, of T, width vg.Length) error {
	canvas, subtitle := c.drawn(of, width, func(w, h vg.Length) vg.CanvasSizer { return vgsvg.New(w, h) })
	var drawn bytes.Buffer
	if _, err := canvas.(*vgsvg.Canvas).WriteTo(&drawn); err != nil {
		return err
	}
	_, body, found := strings.Cut(drawn.String(), " viewBox=")
	if !found {
		return fmt.Errorf("chart %s: the drawing has no view box", c.Name)
	}
	name := html.EscapeString(c.Title + ": " + subtitle)
	_, err := fmt.Fprintf(w, `<svg role="img" aria-label="%s" viewBox=%s`, name, fit(painted(body)))
	return err
}

// drawnText matches a text of a drawing. Its groups are the attributes up to the size, the size, the other attributes,
// and the text.
var drawnText = regexp.MustCompile(`<text ([^>]*font-size:([\d.]+)px)([^>]*)>([^<]*)</text>`)

// fit sets the width of every text to its width in the layout, because the reader's machine may lack the font.
func fit(drawing string) string {
	return drawnText.ReplaceAllStringFunc(drawing, func(text string) string {
		parts := drawnText.FindStringSubmatch(text)
		size, err := strconv.ParseFloat(parts[2], 64)
		if err != nil || parts[4] == "" {
			return text
		}
		sty := Style(vg.Length(size), Black)
		return fmt.Sprintf(`<text textLength="%.2f" lengthAdjust="spacingAndGlyphs" %s%s>%s</text>`,
			sty.Width(html.UnescapeString(parts[4])).Points(), parts[1], parts[3], parts[4])
	})
}

// colour matches a colour of a drawing. Only styles have a colour after a colon.
var colour = regexp.MustCompile(`(fill|stroke):#([0-9A-F]{6})`)

// painted replaces the colours of a drawing with variables of the page.
func painted(drawing string) string {
	return colour.ReplaceAllStringFunc(drawing, func(style string) string {
		property, hex, _ := strings.Cut(style, ":#")
		return fmt.Sprintf("%s:var(--c-%s,#%s)", property, strings.ToLower(hex), hex)
	})
}
