package table

import (
	"regexp"
	"strings"
)

// Markdown returns the grid as a table in Markdown.
func (g Grid) Markdown() string {
	rows := g.Rows
	g.Header, g.Rows = inMarkdown(g.Header), nil
	for _, row := range rows {
		g.Rows = append(g.Rows, inMarkdown(row))
	}
	return g.writer().RenderMarkdown()
}

func inMarkdown(cells []string) []string {
	escaped := make([]string, len(cells))
	for i, cell := range cells {
		escaped[i] = Unmentioned(inCells.Replace(cell))
	}
	return escaped
}

var (
	// inCells escapes text in a table. go-pretty escapes the cell separator. Underscores in clock
	// names are within words, where Markdown ignores them.
	inCells = strings.NewReplacer(`\`, `\\`, "<", "&lt;", "&", "&amp;", "`", "\\`", "[", `\[`, "*", `\*`, "~", `\~`)
	inText  = strings.NewReplacer(`\`, `\\`, "<", "&lt;", "&", "&amp;", "`", "\\`", "[", `\[`, "*", `\*`, "~", `\~`,
		"_", `\_`, "|", `\|`)
	// block matches the start of a heading, a quotation, a list item or a rule.
	block   = regexp.MustCompile(`^(?:(\d+)([.)]\s|[.)]$)|([#>=+-]))`)
	mention = regexp.MustCompile(`(^|\W)@(\w)`)
)

// Escape returns the text escaped for Markdown, also for the start of a line.
func Escape(text string) string {
	return block.ReplaceAllString(Unmentioned(inText.Replace(strings.TrimSpace(text))), `$1\$2$3`)
}

// Unmentioned returns the text with an invisible break in @syscall and other paths, so that a bug
// tracker does not notify users of that name.
func Unmentioned(text string) string { return mention.ReplaceAllString(text, "$1@&#8203;$2") }
