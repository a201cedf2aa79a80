package host

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/timebench/timebench/internal/machine/clocksource"
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

// clockSourceName returns the text if it can be the name of a clock source; otherwise "".
func clockSourceName(text string) string {
	if !clocksource.IsName(text) {
		return ""
	}
	return text
}
