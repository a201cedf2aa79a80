package render

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/timebench/timebench/internal/diff"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/section"
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
	for _, g := range []table.Grid{costGrid(d), scalingGrid(d), differingThreads(d)} {
		if len(g.Rows) > 0 {
			out.WriteString("\n" + g.Title + "\n\n" + g.Text() + "\n")
		}
		if g.Note != "" {
			out.WriteString(table.Wrapped(g.Note))
		}
	}
	if text := conclusion(d); text != "" {
		out.WriteString("\n" + table.Indented(text, 0))
	}
	if lines := onlyFacts(d); len(lines) > 0 {
		out.WriteString("\n")
		table.WriteFacts(&out, lines)
	}
	for _, p := range d.Sections {
		p.Block.WriteText(&out)
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
	for _, g := range []table.Grid{setupGrid(d), costGrid(d), scalingGrid(d), differingThreads(d)} {
		g.WriteMarkdown(&out)
	}
	if text := conclusion(d); text != "" {
		out.WriteString("\n" + table.Escape(text) + "\n")
	}
	if lines := onlyFacts(d); len(lines) > 0 {
		out.WriteString("\n")
		for _, line := range lines {
			fmt.Fprintf(&out, "- %s: %s\n", table.Escape(line.Name), table.Escape(line.Value))
		}
	}
	for _, p := range d.Sections {
		p.Block.WriteMarkdown(&out)
	}
	writeMarkdownPictures(&out, pictures)
	_, err := io.WriteString(w, out.String())
	return err
}

var diffHeader = []string{"clock", "threads", "old_ns", "new_ns", "change", "low", "high", "quiet_change", "p", "verdict"}

// DiffCSV writes a line for each figure; threads is empty for latency. The figures of other
// sections than the costs have further columns.
func DiffCSV(w io.Writer, d *diff.Diff) error {
	header, rest := diffHeader, []string(nil)
	if len(d.Sections) > 0 {
		header, rest = slices.Concat(diffHeader, sectionHeader), make([]string, len(sectionHeader))
	}
	lines := [][]string{header}
	for _, c := range d.Changes {
		threads, low, high := "", "", ""
		if c.Threads > 0 {
			threads = strconv.Itoa(c.Threads)
		}
		if c.Confidence > 0 {
			low, high = words.Number(c.Low), words.Number(c.High)
		}
		line := []string{c.Name(), threads, words.Number(c.OldNS), words.Number(c.NewNS), words.Number(c.Change), low, high, words.Number(c.Quiet), words.Number(c.P), string(c.Verdict)}
		lines = append(lines, append(line, rest...))
	}
	return table.WriteCSV(w, append(lines, sectionLines(d)...))
}

// sectionHeader are the further columns of sections.
var sectionHeader = []string{"part", "what", "old", "old_bound", "new", "new_bound", "unit"}

// sectionLines returns a line for each figure of the sections, with the columns of diffHeader and
// sectionHeader.
func sectionLines(d *diff.Diff) [][]string {
	var lines [][]string
	for _, s := range d.Sections {
		for _, c := range s.Changes {
			line := make([]string, len(diffHeader))
			line[0], line[len(line)-1] = c.Clock, section.SameOrChanged(c.Changed)
			lines = append(lines, append(line, s.Key, c.What, c.Old, c.OldBound, c.New, c.NewBound, c.Unit))
		}
	}
	return lines
}

// diffSummary returns the subtitle of a page.
func diffSummary(d *diff.Diff) string {
	if n := d.Compared(); d.Comparisons == 0 && n > 0 {
		return fmt.Sprintf("%d of %d figures changed.", d.Changed(), n)
	}
	return conclusion(d)
}

// DiffJSON writes the whole diff.
func DiffJSON(w io.Writer, d *diff.Diff) error {
	text, err := d.JSON()
	if err != nil {
		return err
	}
	return result.WriteIndented(w, text)
}
