package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/timebench/timebench/internal/compare"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/table"
)

// Table writes the document as text, within table.Width columns.
func Table(w io.Writer, d *result.Document) error {
	d = cleaned(d)
	var out strings.Builder
	table.WriteFacts(&out, facts(d))
	for _, line := range found(d) {
		out.WriteString("\n" + table.Indented(line, 0))
	}
	writeWarnings(&out, d)
	all, missing := blocks(d)
	for _, b := range all {
		b.WriteText(&out)
	}
	if len(missing) > 0 {
		out.WriteString("\n" + missingTitle + "\n")
		for _, line := range missing {
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

// Facts writes the facts of a host as text, within table.Width columns.
func Facts(w io.Writer, h result.Host) error {
	var out strings.Builder
	table.WriteFacts(&out, hostFacts(cleaned(h)))
	_, err := io.WriteString(w, out.String())
	return err
}

// List writes the output of `timebench list`: the clocks, and why some are not available.
func List(w io.Writer, clocks []compare.Clock) error {
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
