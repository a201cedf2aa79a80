package table

import (
	"regexp"
	"strings"
)

// WriteMarkdown writes the grid with its title and note; nothing where it has no rows.
func (g Grid) WriteMarkdown(out *strings.Builder) {
	if len(g.Rows) == 0 {
		return
	}
	g = g.AtMost(mostColumns)
	escaped := g
	escaped.Header, escaped.Rows = inMarkdown(g.Header), nil
	for _, row := range g.Rows {
		escaped.Rows = append(escaped.Rows, inMarkdown(row))
	}
	out.WriteString("\n### " + Escape(g.Title) + "\n\n" + escaped.writer().RenderMarkdown() + "\n")
	if g.Note != "" {
		out.WriteString("\n" + Escape(g.Note) + "\n")
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
	// inCells is for text in a table. go-pretty escapes what parts the cells, and the
	// underscores of clock names stand within words, where they mean nothing.
	inCells = strings.NewReplacer(`\`, `\\`, "<", "&lt;", "&", "&amp;", "`", "\\`", "[", `\[`, "*", `\*`, "~", `\~`)
	inText  = strings.NewReplacer(`\`, `\\`, "<", "&lt;", "&", "&amp;", "`", "\\`", "[", `\[`, "*", `\*`, "~", `\~`, "_", `\_`, "|", `\|`)
	// block is how a line begins that is a heading, a quotation, an item or a rule.
	block   = regexp.MustCompile(`^(?:(\d+)([.)]\s|[.)]$)|([#>=+-]))`)
	mention = regexp.MustCompile(`(^|\W)@(\w)`)
)

// Escape returns text that Markdown takes for text, also where it begins a line.
func Escape(text string) string {
	return block.ReplaceAllString(Unmentioned(inText.Replace(strings.TrimSpace(text))), `$1\$2$3`)
}

// Unmentioned keeps a bug tracker from calling whoever there goes by the name of a path,
// such as @syscall.
func Unmentioned(text string) string { return mention.ReplaceAllString(text, "$1@&#8203;$2") }
