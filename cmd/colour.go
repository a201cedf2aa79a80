package cmd

import (
	"io"
	"os"
	"regexp"

	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"
)

// paints are the words that a terminal shows in colour, by where they stand. The words
// say all there is to say: colour only helps the eye to find them.
var paints = []struct {
	words  *regexp.Regexp
	colour text.Colors
}{
	{regexp.MustCompile(`(?m)^(error:|Found \(error\):)`), text.Colors{text.FgRed, text.Bold}},
	{regexp.MustCompile(`(?m)^(warn:|Warning:|Found \(warn\):)`), text.Colors{text.FgYellow, text.Bold}},
	{regexp.MustCompile(`(?m)(\bslower$|\bwent backwards\b|\bstood still\b|\bdid not hold\b|\bcertainly apart\b)`), text.Colors{text.FgRed}},
	{regexp.MustCompile(`(?m)\bunsteady$`), text.Colors{text.FgYellow}},
	{regexp.MustCompile(`(?m)(\bfaster$|\bclocks held\.|^Nothing differs beyond noise\b)`), text.Colors{text.FgGreen}},
}

// A painter colours what goes through it, each write by itself.
type painter struct{ to io.Writer }

func (p painter) Write(plain []byte) (int, error) {
	painted := string(plain)
	for _, paint := range paints {
		painted = paint.words.ReplaceAllStringFunc(painted, func(words string) string { return paint.colour.Sprint(words) })
	}
	if _, err := io.WriteString(p.to, painted); err != nil {
		return 0, err
	}
	return len(plain), nil
}

// painted is the output in colour where it is a terminal that shows colours and nobody
// forbade them (NO_COLOR, TERM=dumb: go-pretty asks); restore gives the terminal back.
func painted(output *os.File) (w io.Writer, restore func()) {
	if !term.IsTerminal(int(output.Fd())) {
		return output, func() {}
	}
	restore, ok := movesCursor(output)
	if !ok {
		return output, func() {}
	}
	return painter{output}, restore
}
