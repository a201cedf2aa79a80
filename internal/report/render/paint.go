package render

import (
	"io"
	"regexp"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/timebench/timebench/internal/show/table"
)

// paints are the words that a terminal shows in colour. The words are complete without: colour
// only helps the eye to find them.
var paints = []struct {
	words  *regexp.Regexp
	colour text.Colors
}{
	{regexp.MustCompile(`(?m)^(error:|Reading the clock is slow:)`), text.Colors{text.FgRed, text.Bold}},
	{regexp.MustCompile(`(?m)^(warn:|Warning:)`), text.Colors{text.FgYellow, text.Bold}},
	{regexp.MustCompile(`(?m)(\bslower$|\bwent backwards\b|\bstopped\b|\bdid not hold\b|^CPUs differ by more than the error bound:|^\d+ of \d+ clocks failed\b|\bbeyond the error bound[.:])`), text.Colors{text.FgRed}},
	{regexp.MustCompile(`(?m)\bunsteady$`), text.Colors{text.FgYellow}},
	{regexp.MustCompile(`(?m)(\bfaster$|\bclocks passed\b|^Nothing changed in\b|^Reading the clock is fast:)`), text.Colors{text.FgGreen}},
}

// Paint returns a text in colour; unchanged if NO_COLOR or TERM=dumb forbid it (go-pretty checks
// them).
func Paint(plain string) string {
	painted := plain
	for _, paint := range paints {
		painted = paint.words.ReplaceAllStringFunc(painted, func(words string) string { return paint.colour.Sprint(words) })
	}
	return painted
}

// A Screen is an output that shows tables in colour, at a width of its own in columns: a terminal.
type Screen interface {
	Show(text string) error
	Width() int
}

// Show writes a table, in colour if w is a [Screen]. Other formats are never in colour, since
// people copy JSON and Markdown from a terminal.
func Show(w io.Writer, text string) error {
	if screen, ok := w.(Screen); ok {
		return screen.Show(text)
	}
	_, err := io.WriteString(w, text)
	return err
}

// Width returns the width of the text for an output: that of a [Screen], or table.Width elsewhere.
func Width(w io.Writer) int {
	if screen, ok := w.(Screen); ok {
		return screen.Width()
	}
	return table.Width
}
