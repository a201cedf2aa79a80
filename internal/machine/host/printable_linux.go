package host

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxName bounds a name, in bytes.
const maxName = 200

// printable returns a name, trimmed; "" if it is not valid text, too long, or has characters
// that control a terminal.
func printable(name string) string {
	name = strings.TrimSpace(name)
	odd := func(r rune) bool { return !unicode.IsPrint(r) }
	if len(name) > maxName || !utf8.ValidString(name) || strings.ContainsFunc(name, odd) {
		return ""
	}
	return name
}
