package render

import (
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/sections"
	"github.com/timebench/timebench/internal/table"
)

// Markdown writes the document for a bug report. pictures are the relative paths of the pictures,
// with forward slashes.
func Markdown(w io.Writer, d *result.Document, pictures []string) error {
	d = cleaned(d)
	var out strings.Builder
	out.WriteString("## " + heading(d) + "\n\n")
	writeMarkdownWarnings(&out, d)
	writeMarkdownFacts(&out, d)
	writeMarkdownFindings(&out, d)
	all, missing := blocks(d)
	for _, b := range all {
		b.WriteMarkdown(&out)
	}
	if len(missing) > 0 {
		out.WriteString("\n### " + missingTitle + "\n\n")
		for _, line := range missing {
			fmt.Fprintf(&out, "- %s: %s\n", table.Escape(line.Name), table.Escape(line.Value))
		}
	}
	writeMarkdownLog(&out, d.Host.KernelLog)
	writeMarkdownPictures(&out, pictures)
	_, err := io.WriteString(w, out.String())
	return err
}

// heading returns the commands that measured the sections of the document.
func heading(d *result.Document) string {
	return "timebench " + strings.Join(sections.Commands(d), ", ")
}

// writeMarkdownFacts writes the facts, collapsed under the most important ones.
func writeMarkdownFacts(out *strings.Builder, d *result.Document) {
	out.WriteString(fold(headline(d)))
	for _, f := range facts(d) {
		fmt.Fprintf(out, "- **%s**: %s\n", table.Escape(f.Name), table.Escape(f.Value))
	}
	out.WriteString("\n</details>\n")
}

// fold starts a collapsed block. Its title is HTML and not Markdown.
func fold(title string) string {
	return "<details>\n<summary>" + table.Unmentioned(html.EscapeString(title)) + "</summary>\n\n"
}

func writeMarkdownWarnings(out *strings.Builder, d *result.Document) {
	for _, warning := range warnings(d) {
		out.WriteString("> **Warning:** " + table.Escape(warning) + "\n\n")
	}
}

func source(s *result.ClockSource) string {
	if s == nil {
		return ""
	}
	return "clock source " + s.Current
}

// writeMarkdownPictures lists the pictures. It does not embed them: in an issue, a link to a local
// file is a broken picture.
func writeMarkdownPictures(out *strings.Builder, pictures []string) {
	if len(pictures) > 0 {
		out.WriteString("\nPictures, beside this file: `" + strings.Join(pictures, "`, `") + "`\n")
	}
}
