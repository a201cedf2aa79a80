// Package drawn checks pictures in tests.
package drawn

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/picture"
)

// RequireElement requires that an SVG is one well-formed element that brings nothing
// of its own: no script, no link, no colour that the page cannot change.
func RequireElement[T any](t *testing.T, c picture.Chart[T], of T) {
	t.Helper()
	var drawn bytes.Buffer
	require.NoError(t, c.SVG(&drawn, of))
	decoder := xml.NewDecoder(bytes.NewReader(drawn.Bytes()))
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
	require.True(t, strings.HasPrefix(drawn.String(), `<svg role="img" aria-label="`+c.Title))
	require.NotContains(t, drawn.String(), "NaN")
	require.NotContains(t, drawn.String(), "Inf")
}
