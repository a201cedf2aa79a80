package render

import (
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

// Markdown writes a report for a bug tracker. pictures are the relative paths of its pictures, with forward
// slashes.
func (r Report) Markdown(w io.Writer, pictures []string) error {
	var out strings.Builder
	out.WriteString("## " + r.title + "\n")
	if r.answer != "" {
		out.WriteString("\n**" + table.Escape(r.answer) + "**\n")
	}
	for _, paragraph := range r.details {
		out.WriteString("\n" + table.Escape(paragraph) + "\n")
	}
	for _, n := range r.unchecked {
		out.WriteString("\n**" + strings.TrimSpace(notChecked) + "** " + table.Escape(words.Sentence(n.String())) + "\n")
	}
	if r.explained {
		writeMarkdownFindings(&out, r.findings)
	} else if len(r.findings) > 0 {
		out.WriteString("\n")
		for _, f := range r.findings {
			fmt.Fprintf(&out, "- %s: %s\n", table.Escape(f.Severity), table.Escape(f.Title))
		}
		out.WriteString("\n" + fold("Evidence, causes and remedies"))
		writeMarkdownFindings(&out, r.findings)
		out.WriteString("\n</details>\n")
	}
	for _, b := range r.blocks {
		b.WriteMarkdown(&out)
	}
	writeMarkdownFacts(&out, r.missing)
	for _, warning := range r.warnings {
		out.WriteString("\n> **Warning:** " + table.Escape(sentences(warning)) + "\n")
	}
	if r.subtitle != "" {
		out.WriteString("\n" + fold(r.subtitle))
		writeMarkdownFacts(&out, table.Facts{Lines: r.facts.Lines})
		out.WriteString("\n</details>\n")
	} else {
		writeMarkdownFacts(&out, r.facts)
	}
	writeMarkdownLog(&out, r.log)
	if len(pictures) > 0 { // not embedded: in an issue, a link to a local file is a broken picture
		out.WriteString("\nPictures, beside this file: `" + strings.Join(pictures, "`, `") + "`\n")
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func writeMarkdownFacts(out *strings.Builder, facts table.Facts) {
	table.Block{Facts: facts}.WriteMarkdown(out)
}

// fold starts a collapsed block. Its title is HTML, in which Markdown has no meaning.
func fold(title string) string {
	return "<details>\n<summary>" + table.Unmentioned(html.EscapeString(title)) + "</summary>\n\n"
}

func writeMarkdownFindings(out *strings.Builder, findings []result.Finding) {
	for _, f := range findings {
		fmt.Fprintf(out, "\n### %s: %s\n\n", table.Escape(f.Severity), table.Escape(f.Title))
		for _, seen := range f.Evidence {
			out.WriteString("- " + table.Escape(seen) + "\n")
		}
		if f.Cause != "" {
			out.WriteString("\n**Cause:** " + table.Escape(f.Cause) + "\n")
		}
		for _, r := range f.Remedies {
			out.WriteString("\n**Remedy:** " + table.Escape(words.Sentence(r.Advice)) + "\n")
			if len(r.Commands) > 0 {
				out.WriteString("\n" + fenced("sh", r.Commands))
			}
			if r.Risk != "" {
				out.WriteString("\n**Risk:** " + table.Escape(r.Risk) + "\n")
			}
		}
		if len(f.Links) > 0 {
			out.WriteString("\n")
			for _, link := range f.Links {
				if leadsOut(link) {
					link = "<" + link + ">"
				} else {
					link = table.Escape(link)
				}
				out.WriteString("- " + link + "\n")
			}
		}
	}
}

// fenced returns a block of code without fences in it, which would close it.
func fenced(language string, lines []string) string {
	var text strings.Builder
	text.WriteString("```" + language + "\n")
	for _, line := range lines {
		text.WriteString(strings.ReplaceAll(line, "```", "'''") + "\n")
	}
	text.WriteString("```\n")
	return text.String()
}

func writeMarkdownLog(out *strings.Builder, log *result.KernelLog) {
	if log == nil {
		return
	}
	if len(log.Lines) == 0 {
		out.WriteString("\n" + table.Escape(logTitle(log)) + "\n")
		return
	}
	out.WriteString("\n" + fold(logTitle(log)) + fenced("text", log.Lines) + "\n</details>\n")
}
