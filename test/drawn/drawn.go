// Package drawn checks pictures in tests.
package drawn

import (
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/show/picture"
	"gonum.org/v1/plot/vg"
)

// each calls check with the SVG of each width of a picture.
func each[T any](t *testing.T, c picture.Chart[T], of T, check func(svg string)) {
	t.Helper()
	for _, width := range []vg.Length{picture.Width, picture.NarrowWidth} {
		var drawn strings.Builder
		require.NoError(t, c.SVG(&drawn, of, width))
		check(drawn.String())
	}
}

// RequireElement requires that an SVG is a single well-formed element without scripts, links, and colours that the page
// cannot change.
func RequireElement[T any](t *testing.T, c picture.Chart[T], of T) {
	t.Helper()
	each(t, c, of, func(svg string) {
		decoder := xml.NewDecoder(strings.NewReader(svg))
		for {
			token, err := decoder.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			if element, ok := token.(xml.StartElement); ok {
				require.Contains(t, []string{"svg", "g", "path", "text"}, element.Name.Local)
				for _, attribute := range element.Attr {
					require.NotRegexp(t, `(fill|stroke):#`, attribute.Value, "a colour that is not of the palette")
				}
			}
		}
		require.True(t, strings.HasPrefix(svg, `<svg role="img" aria-label="`+c.Title))
		require.NotContains(t, svg, "NaN")
		require.NotContains(t, svg, "Inf")
	})
}

// label matches a text of an SVG: its width, and its position.
var label = regexp.MustCompile(
	`<text textLength="([\d.]+)" lengthAdjust="spacingAndGlyphs" x="(-?[\d.]+)" y="(-?[\d.]+)" ` +
		`transform="scale\(1, -1\)"\s`)

// RequireApart requires that no two texts of a picture on one line touch.
func RequireApart[T any](t *testing.T, c picture.Chart[T], of T) {
	t.Helper()
	each(t, c, of, func(svg string) {
		lines := map[string][][2]float64{}
		for _, found := range label.FindAllStringSubmatch(svg, -1) {
			width, err := strconv.ParseFloat(found[1], 64)
			require.NoError(t, err)
			x, err := strconv.ParseFloat(found[2], 64)
			require.NoError(t, err)
			lines[found[3]] = append(lines[found[3]], [2]float64{x, x + width})
		}
		require.NotEmpty(t, lines)
		for y, texts := range lines {
			slices.SortFunc(texts, func(a, b [2]float64) int { return cmp.Compare(a[0], b[0]) })
			for i := 1; i < len(texts); i++ {
				require.Greater(t, texts[i][0], texts[i-1][1]+3, "%s: texts touch at y = %s", c.Name, y)
			}
		}
	})
}
