package table

import (
	"regexp"
	"strings"
)

// WriteMarkdown writes the grid with its title and note; nothing if it has no rows.
func (g Grid) WriteMarkdown(out *strings.Builder) {
	if len(g.Rows) == 0 {
		return
	}
	escaped := g
	escaped.Header, escaped.Rows = inMarkdown(g.Header), nil
	for _, row := range g.Rows {
		escaped.Rows = append(escaped.Rows, inMarkdown(row))
	}
	out.WriteString("\n### " + Escape(g.Title) + "\n\n" + escaped.writer().RenderMarkdown() + "\n")
	if note := g.Below(); note != "" {
		out.WriteString("\n" + Escape(note) + "\n")
	}
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
