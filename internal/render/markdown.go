package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/timebench/timebench/internal/result"
)

// A Picture is a chart that stands beside a report.
type Picture struct {
	Title string
	Path  string // relative to the report, with forward slashes
}

// Markdown writes the document for a bug report, with the pictures in place.
func Markdown(w io.Writer, d *result.Document, pictures []Picture) error {
	var out strings.Builder
	out.WriteString("## timebench\n\n")
	for _, warning := range warnings(d) {
		out.WriteString("> **Warning:** " + warning + "\n\n")
	}
	for _, f := range facts(d) {
		fmt.Fprintf(&out, "- **%s**: %s\n", f.name, escape(f.value))
	}
	for _, g := range []grid{latencyGrid(d), throughputGrid(d, mostThreadColumns)} {
		if len(g.rows) == 0 {
			continue
		}
		out.WriteString("\n### " + g.title + "\n\n" + g.writer().RenderMarkdown() + "\n")
		if g.note != "" {
			out.WriteString("\n" + escape(g.note) + "\n")
		}
	}
	if lines := summary(d); len(lines) > 0 {
		out.WriteString("\n### Which clock to choose\n\n")
		for _, line := range lines {
			fmt.Fprintf(&out, "- **%s**: %s\n", line.name, escape(line.value))
		}
	}
	if lines := missing(d); len(lines) > 0 {
		out.WriteString("\n### Not available here\n\n")
		for _, line := range lines {
			fmt.Fprintf(&out, "- %s: %s\n", escape(line.name), escape(line.value))
		}
	}
	for _, picture := range pictures {
		fmt.Fprintf(&out, "\n![%s](%s)\n", picture.Title, picture.Path)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// escape keeps Markdown from taking the signs of clock names for emphasis.
func escape(text string) string {
	return strings.NewReplacer("*", `\*`, "_", `\_`, "<", "&lt;", "|", `\|`).Replace(text)
}
