package printable

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
)

// JSON returns a writer that passes JSON on to w, and escapes the control characters that
// encoding/json does not escape, such as U+009B. Readers of the JSON get the same text. Each
// write must contain whole characters, as the writes of json.Encoder do.
func JSON(w io.Writer) io.Writer { return escaper{w} }

type escaper struct{ w io.Writer }

func (e escaper) Write(text []byte) (int, error) {
	// Outside of strings, JSON has no control characters except line ends.
	const firstOutsideOfASCII = 0x7f
	var escaped strings.Builder
	escaped.Grow(len(text))
	for _, r := range string(text) {
		if r < firstOutsideOfASCII || !isControl(r) {
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
