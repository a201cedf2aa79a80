package render

import (
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"

	"github.com/timebench/timebench/internal/result"
)

// Markdown writes the document for a bug report. pictures are the paths of the charts
// beside it, relative and with forward slashes.
func Markdown(w io.Writer, d *result.Document, pictures []string) error {
	d = cleaned(d)
	var out strings.Builder
	out.WriteString("## timebench\n\n")
	writeMarkdownWarnings(&out, d)
	writeMarkdownFacts(&out, d)
	writeMarkdownFindings(&out, d)
	for _, g := range []grid{sourcesGrid(d), sourceThroughputGrid(d), latencyGrid(d), doorGrid(d), distributionGrid(d), throughputGrid(d, mostThreadColumns)} {
		writeMarkdownGrid(&out, g)
	}
	if lines := summary(d); len(lines) > 0 {
		out.WriteString("\n### Which clock to choose\n\n")
		for _, line := range lines {
			fmt.Fprintf(&out, "- **%s**: %s\n", escape(line.name), escape(line.value))
		}
	}
	for _, p := range parts(d) {
		p.writeMarkdown(&out)
	}
	if lines := missing(d); len(lines) > 0 {
		out.WriteString("\n### Not available here\n\n")
		for _, line := range lines {
			fmt.Fprintf(&out, "- %s: %s\n", escape(line.name), escape(line.value))
		}
	}
	writeMarkdownLog(&out, d.Host.KernelLog)
	writeMarkdownPictures(&out, pictures)
	_, err := io.WriteString(w, out.String())
	return err
}

// writeMarkdownFacts folds the facts away behind the ones that answer most
// questions.
func writeMarkdownFacts(out *strings.Builder, d *result.Document) {
	out.WriteString(fold(headline(d)))
	for _, f := range facts(d) {
		fmt.Fprintf(out, "- **%s**: %s\n", escape(f.name), escape(f.value))
	}
	out.WriteString("\n</details>\n")
}

// fold begins a block of which only the title is seen at first. What stands in its line is
// HTML, and no Markdown.
func fold(title string) string {
	return "<details>\n<summary>" + unmentioned(html.EscapeString(title)) + "</summary>\n\n"
}

func writeMarkdownWarnings(out *strings.Builder, d *result.Document) {
	for _, warning := range warnings(d) {
		out.WriteString("> **Warning:** " + escape(warning) + "\n\n")
	}
}

func source(s *result.ClockSource) string {
	if s == nil {
		return ""
	}
	return "clock source " + s.Current
}

func writeMarkdownGrid(out *strings.Builder, g grid) {
	if len(g.rows) == 0 {
		return
	}
	for _, row := range append(g.rows, g.header) {
		for i := range row {
			row[i] = unmentioned(inCells.Replace(row[i]))
		}
	}
	out.WriteString("\n### " + escape(g.title) + "\n\n" + g.writer().RenderMarkdown() + "\n")
	if g.note != "" {
		out.WriteString("\n" + escape(g.note) + "\n")
	}
}

// writeMarkdownPictures names the pictures. It does not show them: pasted into an issue,
// a link to a file of one's own is a broken picture.
func writeMarkdownPictures(out *strings.Builder, pictures []string) {
	if len(pictures) > 0 {
		out.WriteString("\nPictures, beside this file: `" + strings.Join(pictures, "`, `") + "`\n")
	}
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

// escape returns text that Markdown takes for text, also where it begins a line.
func escape(text string) string {
	return block.ReplaceAllString(unmentioned(inText.Replace(strings.TrimSpace(text))), `$1\$2$3`)
}

// unmentioned keeps a bug tracker from calling whoever there goes by the name of a path,
// such as @syscall.
func unmentioned(text string) string { return mention.ReplaceAllString(text, "$1@&#8203;$2") }
