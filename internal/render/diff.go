package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/timebench/timebench/internal/diff"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/table"
	"github.com/timebench/timebench/internal/words"
)

// DiffTable writes a diff as text, within table.Width columns.
func DiffTable(w io.Writer, d *diff.Diff) error {
	d = cleaned(d)
	var out strings.Builder
	table.WriteFacts(&out, sideFacts(d))
	out.WriteString("\n")
	if len(d.Setup) == 0 {
		out.WriteString(sameSetup + "\n")
	} else {
		out.WriteString(setupTitle + "\n\n")
		table.WriteFacts(&out, setupFacts(d))
	}
	for _, of := range d.Sections {
		of.Block.WriteText(&out)
		if len(of.Block.Missing) > 0 {
			out.WriteString("\n")
			table.WriteFacts(&out, of.Block.Missing)
		}
	}
	if d.Compared() == 0 {
		out.WriteString("\n" + table.Indented(nothingInCommon, 0))
	}
	return Show(w, out.String())
}

// DiffMarkdown writes a diff for a bug report. pictures are as those of Markdown.
func DiffMarkdown(w io.Writer, d *diff.Diff, pictures []string) error {
	d = cleaned(d)
	var out strings.Builder
	out.WriteString("## timebench diff\n\n")
	for _, f := range sideFacts(d) {
		fmt.Fprintf(&out, "- **%s**: %s\n", table.Escape(f.Name), table.Escape(f.Value))
	}
	if len(d.Setup) == 0 {
		out.WriteString("\n" + sameSetup + "\n")
	}
	setupGrid(d).WriteMarkdown(&out)
	for _, of := range d.Sections {
		of.Block.WriteMarkdown(&out)
		if len(of.Block.Missing) > 0 {
			out.WriteString("\n")
		}
		for _, line := range of.Block.Missing {
			fmt.Fprintf(&out, "- %s: %s\n", table.Escape(line.Name), table.Escape(line.Value))
		}
	}
	if d.Compared() == 0 {
		out.WriteString("\n" + nothingInCommon + "\n")
	}
	writeMarkdownPictures(&out, pictures)
	_, err := io.WriteString(w, out.String())
	return err
}

// nothingInCommon is printed if no section could be compared.
const nothingInCommon = "The two documents have no figure in common."

// DiffCSV writes the figures of each section, with an empty line between two sections. A section
// without figures is left out if another has some.
func DiffCSV(w io.Writer, d *diff.Diff) error {
	var tables [][][]string
	for _, of := range d.Sections {
		if lines := of.CSV(of.Key); len(lines) > 1 || d.Compared() == 0 {
			tables = append(tables, lines)
		}
	}
	return table.WriteTables(w, tables)
}

// diffSummary returns the subtitle of a page.
func diffSummary(d *diff.Diff) string {
	if d.Compared() == 0 {
		return nothingInCommon
	}
	return fmt.Sprintf("%d of %s changed.", d.Changed(), words.Plural(d.Compared(), "figure"))
}

// DiffJSON writes the whole diff.
func DiffJSON(w io.Writer, d *diff.Diff) error {
	text, err := d.JSON()
	if err != nil {
		return err
	}
	return result.WriteIndented(w, text)
}
