package printable

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
)

// JSON returns a writer that hands JSON on to w with the characters escaped that a
// terminal obeys and encoding/json leaves as they are, such as U+009B. Readers of the JSON
// get the same text. Each write must hold whole characters, as those of json.Encoder do.
func JSON(w io.Writer) io.Writer { return escaper{w} }

type escaper struct{ w io.Writer }

func (e escaper) Write(text []byte) (int, error) {
	// Outside of strings, JSON has nothing that steers but spaces and ends of lines.
	const firstOutsideOfASCII = 0x7f
	var escaped strings.Builder
	escaped.Grow(len(text))
	for _, r := range string(text) {
		if r < firstOutsideOfASCII || !steers(r) {
			escaped.WriteRune(r)
			continue
		}
		for _, half := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&escaped, `\u%04x`, half)
		}
	}
	if _, err := io.WriteString(e.w, escaped.String()); err != nil {
		return 0, err
	}
	return len(text), nil
}
