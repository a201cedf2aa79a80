package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/table"
)

// Table writes the document for people, within table.Width columns.
func Table(w io.Writer, d *result.Document) error {
	d = cleaned(d)
	var out strings.Builder
	table.WriteFacts(&out, facts(d))
	for _, line := range found(d) {
		out.WriteString("\n" + table.Indented(line, 0))
	}
	writeWarnings(&out, d)
	for _, g := range []table.Grid{sourcesGrid(d), sourceThroughputGrid(d), latencyGrid(d), doorGrid(d), distributionGrid(d), fitting(func(most int) table.Grid { return throughputGrid(d, most) })} {
		if len(g.Rows) == 0 {
			continue
		}
		out.WriteString("\n" + g.Title + "\n\n" + g.Text() + "\n")
		if g.Note != "" {
			out.WriteString(table.Wrapped(g.Note))
		}
	}
	if lines := summary(d); len(lines) > 0 {
		out.WriteString("\n")
		table.WriteFacts(&out, lines)
	}
	for _, p := range blocks(d) {
		p.WriteText(&out)
	}
	if lines := missing(d); len(lines) > 0 && !sectionsOnly(d) { // sections have reasons of their own
		out.WriteString("\nNot available here\n")
		for _, line := range lines {
			out.WriteString(table.Indented(line.Name+": "+line.Value, 2))
		}
	}
	return Show(w, out.String())
}

func writeWarnings(out *strings.Builder, d *result.Document) {
	for _, warning := range warnings(d) {
		out.WriteString("\n" + table.Indented("Warning: "+warning, 0))
	}
}

// fitting is the table.Grid with as many columns of threads as fit table.Width.
func fitting(with func(most int) table.Grid) table.Grid {
	for most := mostThreadColumns; ; most-- {
		g := with(most)
		if most == 3 || text.LongestLineLen(g.Text()) <= table.Width {
			return g
		}
	}
}

// Facts writes the facts of a host for people, within table.Width columns.
func Facts(w io.Writer, h result.Host) error {
	var out strings.Builder
	table.WriteFacts(&out, hostFacts(cleaned(h)))
	_, err := io.WriteString(w, out.String())
	return err
}

// List writes the clocks of a document with what they are, or why they are not
// available: what `timebench list` shows.
func List(w io.Writer, clocks []result.Clock) error {
	g := table.Grid{Header: []string{"Clock", "Kind", "Available"}, Texts: 3}
	for _, c := range cleaned(clocks) {
		available := "yes"
		if !c.Available {
			available = "no: " + c.Reason
		}
		g.Rows = append(g.Rows, []string{c.ID, c.Kind, available})
	}
	_, err := fmt.Fprintln(w, g.Text())
	return err
}
