// Package table renders tables, and the sentences around them, as text for a terminal, Markdown for
// a bug report, HTML for a page, and CSV for programs. It is independent of clocks: a measurement
// fills a Grid or a Block, and every format can show it.
package table

import (
	"slices"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Width is the maximum width of tables and of the text around them, in columns.
const Width = 100

// A Fact is a line above the tables, about the machine or the measurement.
type Fact struct{ Name, Value string }

// A Grid is a table without a format. A Grid without rows is not shown.
type Grid struct {
	Title  string
	Header []string
	// Texts is how many columns, from the left, hold text; at least one. The others hold
	// figures, aligned to the right.
	Texts int
	// Rows have one cell for each column of Header.
	Rows [][]string
	// Note is below the table.
	Note string
	// Optional are the columns that a format leaves out where there is no room, in their
	// order; LeftOut is what the note says then.
	Optional []Optional
	LeftOut  string
	// OnPage is the grid that a page shows instead, if there is one.
	OnPage *Grid
}

// WriteFacts writes the facts in two columns, names and wrapped values.
func WriteFacts(out *strings.Builder, facts []Fact, by int) {
	const most = 40 // of a name; the value of a longer one begins on the next line
	widest := 0
	for _, f := range facts {
		if width := text.StringWidth(f.Name); width <= most {
			widest = max(widest, width)
		}
	}
	margin := strings.Repeat(" ", by)
	for _, f := range facts {
		value := Indented(f.Value, by+widest+2)
		if text.StringWidth(f.Name) > most {
			out.WriteString(Indented(f.Name, by) + value)
			continue
		}
		out.WriteString(margin + text.Pad(f.Name, widest+2, ' ') + strings.TrimLeft(value, " "))
	}
}

// note returns a note with every line wrapped to Width; "" if there is none.
func note(text string) string {
	if text == "" {
		return ""
	}
	var out strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		out.WriteString(Indented(line, 0))
	}
	return out.String()
}

// Indented returns a text wrapped to Width, with each line indented.
func Indented(value string, by int) string {
	var out strings.Builder
	for line := range strings.SplitSeq(text.WrapSoft(value, Width-by), "\n") {
		out.WriteString(strings.Repeat(" ", by) + strings.TrimSpace(line) + "\n")
	}
	return out.String()
}

// writer returns the Grid as a table of go-pretty.
func (g Grid) writer() pretty.Writer {
	w := pretty.NewWriter()
	w.SetStyle(plain)
	header := make(pretty.Row, len(g.Header))
	for i, name := range g.Header {
		header[i] = name
	}
	w.AppendHeader(header)
	w.SetColumnConfigs(g.columns())
	for _, cells := range g.Rows {
		row := make(pretty.Row, len(cells))
		for i, cell := range cells {
			row[i] = cell
		}
		w.AppendRow(row)
	}
	return w
}

// columns returns the alignment of the columns: text left, figures right.
func (g Grid) columns() []pretty.ColumnConfig {
	columns := make([]pretty.ColumnConfig, len(g.Header))
	for i := range columns {
		align := text.AlignRight
		if i < max(1, g.Texts) {
			align = text.AlignLeft
		}
		columns[i] = pretty.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align, VAlignHeader: text.VAlignBottom}
	}
	return columns
}

// Fitted returns the Grid as text within Width, if it can: it breaks the headings into lines, then
// wraps the widest columns of text.
func (g Grid) Fitted() string {
	const least = 16 // of a column of text
	if text.LongestLineLen(g.Text()) > Width {
		g.Header = stacked(g.Header)
	}
	writer, columns := g.writer(), g.columns()
	widest := make([]int, max(1, g.Texts))
	for _, row := range g.Rows {
		for i := range widest {
			widest[i] = max(widest[i], text.StringWidth(row[i]))
		}
	}
	for {
		rendered := TrimRight(writer.Render())
		over := text.LongestLineLen(rendered) - Width
		i := slices.Index(widest, slices.Max(widest))
		if over <= 0 || widest[i] <= least {
			return rendered
		}
		// Half of the excess, because then another column may be the widest.
		widest[i] = max(least, widest[i]-(over+1)/2)
		columns[i].WidthMax, columns[i].WidthMaxEnforcer = widest[i], text.WrapSoft
		writer.SetColumnConfigs(columns)
	}
}

// stacked returns headings with each of their words on a line.
func stacked(headings []string) []string {
	all := make([]string, len(headings))
	for i, heading := range headings {
		all[i] = strings.ReplaceAll(heading, " ", "\n")
	}
	return all
}

// plain is the style of a text table with a line under its header.
var plain = func() pretty.Style {
	style := pretty.StyleDefault
	style.Name = "plain"
	style.Options = pretty.OptionsNoBorders
	style.Options.SeparateColumns = false
	style.Options.SeparateHeader = true
	style.Box.MiddleHorizontal = "-"
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	style.Format.Header = text.FormatDefault
	return style
}()

// TrimRight removes the padding after the last column.
func TrimRight(rendered string) string {
	lines := strings.Split(rendered, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
		if strings.Trim(line, "-") == "" {
			lines[i] = line[:min(len(line)-len(plain.Box.PaddingRight), Width)]
		}
	}
	return strings.Join(lines, "\n")
}

// Text returns the grid as text, as wide as its cells.
func (g Grid) Text() string { return TrimRight(g.writer().Render()) }

// HTML returns the grid as an HTML table that the script of the page can sort. Cells are escaped.
func (g Grid) HTML() string {
	writer := g.writer()
	writer.Style().HTML = pretty.HTMLOptions{CSSClass: "sortable", EmptyColumn: "", EscapeText: true, Newline: "<br>"}
	return writer.RenderHTML()
}
