// Package table renders tables, and the sentences around them, as text for a terminal, Markdown for
// a bug report, HTML for a page, and CSV for programs. It is independent of clocks: a measurement
// fills a Grid or a Block, and every format can show it.
package table

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	pretty "github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/timebench/timebench/internal/show/words"
)

// Width is the maximum width of tables and of the text around them without a terminal of another width. Narrowest is
// the min width that text is fitted to. Both are in columns.
const (
	Width     = 100
	Narrowest = 60
)

// A Fact is a line above the tables, about the machine or the measurement.
type Fact struct{ Name, Value string }

// A Grid is a table for people, independent of the format. [Of] makes it. A Grid without rows is not shown.
type Grid struct {
	Title  string
	Header []string
	// texts is the number of columns, from the left, that hold text; at least one. The others hold figures, aligned to
	// the right.
	texts int
	// Rows have one cell for each column of Header.
	Rows [][]string
	// levels are the levels of the rows, in whose colours text paints their last cells; nil without levels.
	levels []Level
	// Note is below the table, behind the notes of its columns.
	Note string
	// notes explain the columns, by index; "" for a column without a note.
	notes []string
	// first are the rows of the first screen, by index, if not all fit; nil for the first of all.
	first []int
	// Instead is whether the first screen has this table instead of the facts below the tables.
	Instead bool
	// spare are the columns, by index, that text leaves out if they do not fit, in this order.
	spare []int
}

// WriteFacts writes the facts in two columns, names and values, each line indented and wrapped to a width.
func WriteFacts(out *strings.Builder, facts []Fact, by, width int) {
	most := width * 2 / 5 // of a name; the value of a longer one begins on the next line
	widest := 0
	for _, f := range facts {
		if n := text.StringWidth(f.Name); n <= most {
			widest = max(widest, n)
		}
	}
	margin := strings.Repeat(" ", by)
	for _, f := range facts {
		value := Indented(f.Value, by+widest+2, width)
		if text.StringWidth(f.Name) > most {
			out.WriteString(Indented(f.Name, by, width) + value)
			continue
		}
		out.WriteString(margin + text.Pad(f.Name, widest+2, ' ') + strings.TrimLeft(value, " "))
	}
}

func note(text string, width int) string {
	if text == "" {
		return ""
	}
	var out strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		out.WriteString(Indented(line, 0, width))
	}
	return out.String()
}

// Cut returns a text in at most this number of lines, without a line break at its end. A longer text ends with an
// ellipsis.
func Cut(value string, width, lines int) string {
	const end = "…"
	all := strings.Split(inLines(value, min(width, Width)), "\n")
	if len(all) > lines {
		all = strings.Split(inLines(value, min(width, Width)-2), "\n")[:lines]
		all[lines-1] = strings.TrimRight(all[lines-1], " ,;:(") + " " + end
	}
	return strings.Join(all, "\n")
}

// Indented returns a text wrapped to a width, which is at most Width, with each line indented. Text to copy stays
// in one line: a command (in backticks, or after "$ "), an address, a path.
func Indented(value string, by, width int) string {
	var out strings.Builder
	for line := range strings.SplitSeq(wrapped(strings.TrimSpace(value), min(width, Width)-by, copied), "\n") {
		out.WriteString(strings.Repeat(" ", by) + strings.TrimSpace(line) + "\n")
	}
	return out.String()
}

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

func (g Grid) columns() []pretty.ColumnConfig {
	columns := make([]pretty.ColumnConfig, len(g.Header))
	for i := range columns {
		align := text.AlignRight
		if i < max(1, g.texts) {
			align = text.AlignLeft
		}
		columns[i] = pretty.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align,
			VAlignHeader: text.VAlignBottom}
	}
	return columns
}

// Text returns the grid as text within a width: its title, its rows and its note. If it does not fit, long texts wrap,
// then columns of least priority go, then the other columns of text wrap, the last one first: the first one, which
// people copy, stays whole as long as another can wrap. A table whose figures alone are wider stays as wide as it is.
func (g Grid) Text(width int) string {
	rows := g.rows(width)
	if g.Title == "" {
		return rows
	}
	return Indented(g.Title, 0, width) + "\n" + rows
}

// First returns the grid for the first screen, without a note and with limited rows, and the number of hidden rows. If
// a limit hides rows, the rows of [Column.First] stay; without such rows, the first rows of the grid.
func (g Grid) First(width, rows int) (text string, hidden int) {
	all := len(g.Rows)
	if all > rows {
		shown := g.first[:min(rows, len(g.first))]
		for i := 0; len(g.first) == 0 && i < rows; i++ {
			shown = append(shown, i)
		}
		short := g
		short.Rows, short.levels = nil, nil
		for _, i := range shown {
			short.Rows = append(short.Rows, g.Rows[i])
			if g.levels != nil {
				short.levels = append(short.levels, g.levels[i])
			}
		}
		g = short
	}
	title := ""
	if g.Title != "" {
		title = Indented(g.Title, 0, width)
	}
	g, _ = g.fitting(width)
	g.Note, g.notes = "", nil
	return title + g.rows(width), all - len(g.Rows)
}

// rows returns the header, the rows and the note within a width.
func (g Grid) rows(width int) string {
	g, widths := g.fitting(width)
	writer, columns := g.painted().writer(), g.columns()
	over := total(widths) - width
	for i := max(1, g.texts) - 1; i >= 0 && over > 0; i-- {
		if narrow := max(widths[i]-over, shortest); narrow < widths[i] {
			over -= widths[i] - narrow
			columns[i].WidthMax, columns[i].WidthMaxEnforcer = narrow, inLines
		}
	}
	writer.SetColumnConfigs(columns)
	return trimRight(writer.Render(), width) + "\n" + note(g.Below(), width)
}

// Below returns the sentences below the table.
func (g Grid) Below() string {
	return strings.Join(words.Present(append(slices.Clone(g.notes), g.Note)...), " ")
}

// A text of more than long columns wraps before a column is left out. shortest is the width of a text whose parts break
// too.
const long, shortest = 32, 12

// fitting returns the grid with the columns that fit a width, and the width of each, in which no text wraps. Its note
// names the columns that do not fit.
func (g Grid) fitting(width int) (Grid, []int) {
	widths, leftOut := g.leftOut(width)
	if len(leftOut) == 0 {
		return g, widths
	}
	short := g.with(func(column int) bool { return !leftOut[column] })
	var kept []int
	var others []string
	for i, name := range g.Header {
		if leftOut[i] {
			others = append(others, name)
		} else {
			kept = append(kept, widths[i])
		}
	}
	short.notes, short.Note = nil, strings.TrimLeft(short.Below()+"\nWith -v also: "+strings.Join(others, ", ")+".", "\n")
	return short, kept
}

// leftOut returns the width of each column, in which no text wraps, and the columns that do not fit a width, by index.
func (g Grid) leftOut(width int) (widths []int, leftOut map[int]bool) {
	widths = make([]int, len(g.Header))
	over := -width
	for i := range widths {
		for _, cell := range g.cells(i) {
			widths[i] = max(widths[i], text.LongestLineLen(cell))
		}
		if i < max(1, g.texts) {
			over -= max(0, widths[i]-max(long, longestPart(g.cells(i))))
		}
	}
	over += total(widths)
	leftOut = map[int]bool{}
	for over > 0 && len(leftOut) < len(g.spare) {
		column := g.spare[len(leftOut)]
		leftOut[column] = true
		over -= widths[column] + gap
	}
	return widths, leftOut
}

// with returns the grid with some of its columns. All of these are then shown at any width.
func (g Grid) with(keep func(column int) bool) Grid {
	some := g
	some.Header, some.notes, some.Rows, some.texts, some.spare = nil, nil, make([][]string, len(g.Rows)), 0, nil
	for i, name := range g.Header {
		if !keep(i) {
			continue
		}
		if i < max(1, g.texts) {
			some.texts++
		}
		some.Header = append(some.Header, name)
		if g.notes != nil {
			some.notes = append(some.notes, g.notes[i])
		}
		for k := range some.Rows {
			some.Rows[k] = append(some.Rows[k], g.Rows[k][i])
		}
	}
	if !keep(len(g.Header) - 1) {
		some.levels = nil
	}
	return some
}

// continued ends the title of a table with columns of the table above.
const continued = ", continued"

// Split returns the grid as grids that fit a width, if possible: the columns that do not fit stand beside the first
// column again.
func (g Grid) Split(width int) []Grid {
	_, leftOut := g.leftOut(width)
	if len(leftOut) == 0 || len(leftOut) == len(g.Header)-1 {
		return []Grid{g}
	}
	rest := g.with(func(column int) bool { return column == 0 || leftOut[column] })
	for i := len(rest.Header) - 1; i > 0; i-- {
		rest.spare = append(rest.spare, i)
	}
	rest.Title, rest.Note = strings.TrimSuffix(g.Title, continued)+continued, ""
	return append([]Grid{g.with(func(column int) bool { return !leftOut[column] })}, rest.Split(width)...)
}

// gap is the space between two columns.
const gap = 2

// total returns the width of columns with the gaps between them.
func total(widths []int) int {
	sum := -gap
	for _, width := range widths {
		sum += width + gap
	}
	return sum
}

// cells returns the cells of a column, the heading first.
func (g Grid) cells(column int) []string {
	all := []string{g.Header[column]}
	for _, row := range g.Rows {
		all = append(all, row[column])
	}
	return all
}

// copied matches what a reader copies from a sentence: a command, an address or a path.
var copied = regexp.MustCompile("^\\$ .*|\\S*`[^`]*`\\S*|\\S*://\\S*|(?:^| )[(\"']?/\\S+")

// inLines returns a text in lines of at most this number of columns. A line ends at a space. A name that is longer than
// a line breaks where a reader expects it: after a double colon or another character between its parts, or anywhere
// without such a character.
func inLines(of string, most int) string { return wrapped(of, most, nil) }

// wrapped returns a text in lines, as inLines. A line does not end within what whole matches, even if it is too long.
func wrapped(of string, most int, whole *regexp.Regexp) string {
	var lines []string
	var matches [][]int
	if whole != nil {
		matches = whole.FindAllStringIndex(of, -1)
	}
	for from := 0; ; {
		end := from + lineEnd(of[from:], most)
		for ; len(matches) > 0 && matches[0][0] < end; matches = matches[1:] {
			if last := matches[0][1]; end < last {
				begins := max(from, matches[0][0])
				if before := len(strings.TrimRight(of[from:begins], " ")); before > 0 {
					end = from + before
					break
				}
				end = last
			}
		}
		if end == len(of) {
			return strings.Join(append(lines, of[from:]), "\n")
		}
		lines = append(lines, strings.TrimRight(of[from:end], " "))
		from = len(of) - len(strings.TrimLeft(of[end:], " "))
	}
}

// lineEnd returns where the first line of a text ends, in bytes; the length of the text if all of it fits.
func lineEnd(of string, most int) int {
	space, part, width := 0, 0, 0
	for at, letter := range of {
		if letter == ' ' && width <= most {
			space = at
		}
		if width += text.RuneWidth(letter); width > most && letter != ' ' {
			next, _, _ := strings.Cut(strings.TrimLeft(of[space:], " "), " ")
			if space > 0 && (part < space || text.StringWidth(next) <= most) {
				return space
			}
			return cmp.Or(part, at, len(string(letter)))
		}
		if endsPart(of, at, letter) {
			part = at + len(string(letter))
		}
	}
	return len(of)
}

// endsPart reports whether a name may break after this letter of a text. A number does not break at its point.
func endsPart(of string, at int, letter rune) bool {
	if rest := of[at:]; len(rest) > 1 && rest[0] == '.' && '0' <= rest[1] && rest[1] <= '9' {
		return false
	}
	return strings.ContainsRune("._(@/,=", letter) || strings.HasSuffix(of[:at], ":") && letter == ':'
}

// longestPart returns the width of the longest unbreakable part of texts, in columns.
func longestPart(texts []string) int {
	longest := shortest
	for _, of := range texts {
		width := 0
		for at, letter := range of {
			width += text.RuneWidth(letter)
			if letter == ' ' {
				width = 0
			}
			longest = max(longest, width)
			if endsPart(of, at, letter) {
				width = 0
			}
		}
	}
	return longest
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

// trimRight removes the padding after the last column, and cuts the line below the header to the width.
func trimRight(rendered string, width int) string {
	lines := strings.Split(rendered, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
		if strings.Trim(line, "-") == "" {
			lines[i] = line[:min(len(line)-len(plain.Box.PaddingRight), width)]
		}
	}
	return strings.Join(lines, "\n")
}

// HTML returns the grid as an HTML table that the script of the page can sort. Cells are escaped. A name in a column of
// text may break at the same places as on a terminal.
func (g Grid) HTML() string {
	const breaks = "\uE000" // stands for the element until all cells are escaped
	named := g
	named.Rows = nil
	for _, row := range g.Rows {
		cells := slices.Clone(row)
		for i := range cells[:max(1, g.texts)] {
			cells[i] = inParts(cells[i], breaks)
		}
		named.Rows = append(named.Rows, cells)
	}
	writer := named.writer()
	writer.Style().HTML = pretty.HTMLOptions{CSSClass: "sortable", EmptyColumn: "", EscapeText: true, Newline: "<br>"}
	return strings.ReplaceAll(writer.RenderHTML(), breaks, "<wbr>")
}

// inParts returns a text with a mark after each part of a name, but not within brackets of their own.
func inParts(of, mark string) string {
	var out strings.Builder
	for at, letter := range of {
		out.WriteRune(letter)
		end := at + utf8.RuneLen(letter)
		if opens := letter == '(' && strings.HasSuffix(of[:at], " "); endsPart(of, at, letter) && !opens &&
			end < len(of) && of[end] != ' ' {
			out.WriteString(mark)
		}
	}
	return out.String()
}

// A Level is how good or bad a line is; 0 is neither. Text shows it in colour, which only helps the eye: the words are
// complete without it.
type Level int

// The levels.
const (
	OK Level = iota + 1
	Warn
	Error
)

var colours = map[Level]text.Colors{OK: {text.FgGreen}, Warn: {text.FgYellow}, Error: {text.FgRed}}

// Paint returns lines in the colour of the level; unchanged if NO_COLOR or TERM=dumb forbid it (go-pretty checks them).
func (l Level) Paint(lines string) string {
	colour, ok := colours[l]
	if !ok {
		return lines
	}
	painted := strings.TrimRight(lines, "\n")
	return colour.Sprint(painted) + lines[len(painted):]
}

// painted returns the grid with the last cell of each row in the colour of its level.
func (g Grid) painted() Grid {
	if g.levels == nil {
		return g
	}
	rows := make([][]string, len(g.Rows))
	for i, row := range g.Rows {
		last := len(row) - 1
		rows[i] = append(row[:last:last], g.levels[i].Paint(row[last]))
	}
	g.Rows = rows
	return g
}
