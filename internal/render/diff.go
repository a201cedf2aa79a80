package render

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/timebench/timebench/internal/diff"
	"github.com/timebench/timebench/internal/printable"
	"github.com/timebench/timebench/internal/table"
	"github.com/timebench/timebench/internal/words"
)

// DiffTable writes a diff for people, within table.Width columns.
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
	for _, g := range []table.Grid{costGrid(d), fitting(func(most int) table.Grid { return scalingGrid(d, most) }), differingThreads(d)} {
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
	for _, p := range diffParts(d) {
		p.WriteText(&out)
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
	for _, g := range []table.Grid{setupGrid(d), costGrid(d), scalingGrid(d, mostThreadColumns), differingThreads(d)} {
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
	for _, p := range diffParts(d) {
		p.WriteMarkdown(&out)
	}
	writeMarkdownPictures(&out, pictures)
	_, err := io.WriteString(w, out.String())
	return err
}

var diffHeader = []string{"clock", "threads", "old_ns", "new_ns", "change", "low", "high", "quiet_change", "p", "verdict"}

// DiffCSV writes a line for each figure; threads is empty for latency. Where a document
// holds more than costs there are more columns, which are empty for costs.
func DiffCSV(w io.Writer, d *diff.Diff) error {
	header, rest := diffHeader, []string(nil)
	if hasParts(d) {
		header, rest = slices.Concat(diffHeader, diffPartHeader), make([]string, len(diffPartHeader))
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
	return table.WriteCSV(w, append(lines, diffPartLines(d)...))
}

// DiffJSON writes all that was compared.
func DiffJSON(w io.Writer, d *diff.Diff) error {
	encoder := json.NewEncoder(printable.JSON(w))
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(d)
}
