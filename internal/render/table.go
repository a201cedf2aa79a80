package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/timebench/timebench/internal/result"
)

// Table writes the document for people, within Width columns.
func Table(w io.Writer, d *result.Document) error {
	d = cleaned(d)
	var out strings.Builder
	writeFacts(&out, facts(d))
	for _, line := range found(d) {
		out.WriteString("\n" + indented(line, 0))
	}
	writeWarnings(&out, d)
	for _, g := range []grid{sourcesGrid(d), sourceThroughputGrid(d), latencyGrid(d), doorGrid(d), distributionGrid(d), fitting(func(most int) grid { return throughputGrid(d, most) })} {
		if len(g.rows) == 0 {
			continue
		}
		out.WriteString("\n" + g.title + "\n\n" + trimRight(g.writer().Render()) + "\n")
		if g.note != "" {
			out.WriteString(wrapped(g.note))
		}
	}
	if lines := summary(d); len(lines) > 0 {
		out.WriteString("\n")
		writeFacts(&out, lines)
	}
	for _, p := range parts(d) {
		p.write(&out)
	}
	if lines := missing(d); len(lines) > 0 {
		out.WriteString("\nNot available here\n")
		for _, line := range lines {
			out.WriteString(indented(line.name+": "+line.value, 2))
		}
	}
	return Show(w, out.String())
}

func writeWarnings(out *strings.Builder, d *result.Document) {
	for _, warning := range warnings(d) {
		out.WriteString("\n" + indented("Warning: "+warning, 0))
	}
}

// fitting is the grid with as many columns of threads as fit Width.
func fitting(with func(most int) grid) grid {
	for most := mostThreadColumns; ; most-- {
		g := with(most)
		if most == 3 || text.LongestLineLen(trimRight(g.writer().Render())) <= Width {
			return g
		}
	}
}

// Facts writes the facts of a host for people, within Width columns.
func Facts(w io.Writer, h result.Host) error {
	var out strings.Builder
	writeFacts(&out, hostFacts(cleaned(h)))
	_, err := io.WriteString(w, out.String())
	return err
}

// writeFacts writes each fact beside its name, wrapped beneath itself.
func writeFacts(out *strings.Builder, facts []fact) {
	widest := 0
	for _, f := range facts {
		widest = max(widest, text.StringWidth(f.name))
	}
	for _, f := range facts {
		name := text.Pad(f.name, widest+2, ' ')
		out.WriteString(name + strings.TrimLeft(indented(f.value, widest+2), " "))
	}
}

// wrapped keeps every line of a note within Width.
func wrapped(note string) string {
	var out strings.Builder
	for line := range strings.SplitSeq(note, "\n") {
		out.WriteString(indented(line, 0))
	}
	return out.String()
}

// indented wraps a text so that each of its lines is indented and within Width.
func indented(value string, by int) string {
	var out strings.Builder
	for line := range strings.SplitSeq(text.WrapSoft(value, Width-by), "\n") {
		out.WriteString(strings.Repeat(" ", by) + strings.TrimSpace(line) + "\n")
	}
	return out.String()
}

// writer is the grid for go-pretty to render.
func (g grid) writer() table.Writer {
	w := table.NewWriter()
	w.SetStyle(plain)
	header := make(table.Row, len(g.header))
	for i, name := range g.header {
		header[i] = name
	}
	w.AppendHeader(header)
	w.SetColumnConfigs(g.columns())
	for _, cells := range g.rows {
		row := make(table.Row, len(cells))
		for i, cell := range cells {
			row[i] = cell
		}
		w.AppendRow(row)
	}
	return w
}

// columns are aligned as text or as figures.
func (g grid) columns() []table.ColumnConfig {
	columns := make([]table.ColumnConfig, len(g.header))
	for i := range columns {
		align := text.AlignRight
		if i < max(1, g.texts) {
			align = text.AlignLeft
		}
		columns[i] = table.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align}
	}
	return columns
}

// fitted is the rendered grid, with its widest columns of text wrapped as far as
// Width takes.
func (g grid) fitted() string {
	const least = 16 // of a column of text
	writer, columns := g.writer(), g.columns()
	widest := make([]int, max(1, g.texts))
	for _, row := range g.rows {
		for i := range widest {
			widest[i] = max(widest[i], text.StringWidth(row[i]))
		}
	}
	for {
		rendered := trimRight(writer.Render())
		over := text.LongestLineLen(rendered) - Width
		i := slices.Index(widest, slices.Max(widest))
		if over <= 0 || widest[i] <= least {
			return rendered
		}
		// Half of it, since then the next may be another column.
		widest[i] = max(least, widest[i]-(over+1)/2)
		columns[i].WidthMax, columns[i].WidthMaxEnforcer = widest[i], text.WrapSoft
		writer.SetColumnConfigs(columns)
	}
}

// plain is a table of text and a line under its header, nothing more.
var plain = func() table.Style {
	style := table.StyleDefault
	style.Name = "plain"
	style.Options = table.OptionsNoBorders
	style.Options.SeparateColumns = false
	style.Options.SeparateHeader = true
	style.Box.MiddleHorizontal = "-"
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	style.Format.Header = text.FormatDefault
	return style
}()

// trimRight takes off what the last column is padded with.
func trimRight(rendered string) string {
	lines := strings.Split(rendered, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
		if strings.Trim(line, "-") == "" {
			lines[i] = line[:min(len(line)-len(plain.Box.PaddingRight), Width)]
		}
	}
	return strings.Join(lines, "\n")
}

// List writes the clocks of a document with what they are, or why they are not
// available: what `timebench list` shows.
func List(w io.Writer, clocks []result.Clock) error {
	g := grid{header: []string{"Clock", "Kind", "Available"}}
	for _, c := range cleaned(clocks) {
		available := "yes"
		if !c.Available {
			available = "no: " + c.Reason
		}
		g.rows = append(g.rows, []string{c.ID, c.Kind, available})
	}
	writer := g.writer()
	writer.SetColumnConfigs(nil)
	_, err := fmt.Fprintln(w, trimRight(writer.Render()))
	return err
}
