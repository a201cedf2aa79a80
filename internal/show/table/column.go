package table

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/show/exposition"
	"github.com/timebench/timebench/internal/show/words"
)

// A Column is one figure or text of the rows of a table, for every format. A measurement lists its columns once, each
// heading beside its cell: [Of] makes the table for people from the columns with a Name, [Lines] the CSV from the
// columns with a Key, and [Metrics] the metrics from the columns with a Metric. A figure that people read in one cell
// and programs in several (a value with its error bound) has a column for each.
type Column[T any] struct {
	// Name is the heading for people; empty if only programs get the column.
	Name string
	// Key is the heading of the CSV; empty if only people get the column.
	Key string
	// Value returns the figure of a row, or [Unknown]; nil for a text. See [Within].
	Value func(T) float64
	// Unit returns a Value for people: words.NS, words.Duration. It is not needed beside Cell.
	Unit func(value float64) string
	// Text returns the text of a row, for a column without Value.
	Text func(T) string
	// Cell returns the cell for people; nil if Unit or Text returns it. People read a dash if it is empty.
	Cell func(T) string
	// Level is how good or bad the cell is; nil for neither. Only the last column has one.
	Level func(T) Level
	// Left aligns the column to the left, as a text. Such columns come first, and wrap if they do not fit.
	Left bool
	// First is whether a row belongs to the first screen, if not all rows fit; nil if the first rows do.
	First func(T) bool
	// Note explains the column below the table, in one sentence, while the column is shown.
	Note string
	// Spare is the order in which text leaves out columns that do not fit: the largest goes first, 0 stays.
	Spare int
	// Metric is the name of the metric of the figure, and Help its description, one sentence. A figure in ns becomes
	// seconds if the name ends with that unit.
	Metric, Help string
}

// unknown is the cell for people of a row without a value.
const unknown = "-"

// cell returns the cell for people.
func (c *Column[T]) cell(row T) string {
	text := ""
	if c.Cell != nil {
		text = c.Cell(row)
	} else if c.Value == nil {
		text = c.Text(row)
	} else if value := c.Value(row); !math.IsNaN(value) {
		text = c.Unit(value)
	}
	if text == "" {
		return unknown
	}
	return text
}

// raw returns the cell of the CSV.
func (c *Column[T]) raw(row T) string {
	if c.Value == nil {
		return c.Text(row)
	}
	if value := c.Value(row); !math.IsNaN(value) {
		return words.Number(value)
	}
	return ""
}

// Of returns the table for people. It leaves out a column without a value in any row.
func Of[T any](title string, rows []T, columns []Column[T]) Grid {
	g := Grid{Title: title, Rows: make([][]string, len(rows))}
	var spare []int // of the columns that are shown
	for i := range columns {
		c := &columns[i]
		if c.Name == "" {
			continue
		}
		cells := make([]string, len(rows))
		for k, row := range rows {
			cells[k] = c.cell(row)
		}
		if !slices.ContainsFunc(cells, func(cell string) bool { return cell != unknown }) {
			continue
		}
		g.levels = nil
		for k, row := range rows {
			g.Rows[k] = append(g.Rows[k], cells[k])
			if c.Level != nil {
				g.levels = append(g.levels, c.Level(row))
			}
		}
		for k, row := range rows {
			if c.First != nil && c.First(row) {
				g.first = append(g.first, k)
			}
		}
		if c.Left {
			g.texts++
		}
		if c.Spare > 0 {
			g.spare = append(g.spare, len(g.Header))
		}
		g.Header, g.notes, spare = append(g.Header, c.Name), append(g.notes, c.Note), append(spare, c.Spare)
	}
	slices.SortStableFunc(g.spare, func(a, b int) int { return cmp.Compare(spare[b], spare[a]) })
	return g
}

// Lines returns the rows as CSV, the header first; the cells are not escaped.
func Lines[T any](rows []T, columns []Column[T]) [][]string {
	lines := make([][]string, 1+len(rows))
	for i := range columns {
		c := &columns[i]
		if c.Key == "" {
			continue
		}
		lines[0] = append(lines[0], c.Key)
		for k, row := range rows {
			lines[1+k] = append(lines[1+k], c.raw(row))
		}
	}
	return lines
}

// Metrics returns a metric for each column with a Metric, with a sample for each row. The names begin with prefix;
// labels returns the pairs of name and value of a row.
func Metrics[T any](prefix string, rows []T, labels func(T) []string, columns []Column[T]) []exposition.Family {
	var all []exposition.Family
	for _, c := range columns {
		if c.Metric == "" {
			continue
		}
		family := exposition.Family{Name: prefix + c.Metric, Type: exposition.Gauge, Help: c.Help}
		scale := 1.0
		if strings.HasSuffix(c.Metric, "_seconds") {
			scale = 1e9
		}
		for _, row := range rows {
			if value := c.Value(row); !math.IsNaN(value) {
				family.Samples = append(family.Samples, exposition.Sample{Labels: labels(row), Value: value / scale})
			}
		}
		all = append(all, family)
	}
	return all
}

// Unknown is the value of [Column.Value] for a row without a figure.
var Unknown = math.NaN()

// Known returns a figure for [Column.Value]. 0 means unknown.
func Known(value float64) float64 { return If(value != 0, value) }

// If returns a figure for [Column.Value], which is unknown without the condition.
func If(known bool, value float64) float64 {
	if known {
		return value
	}
	return Unknown
}

// Within returns a function that makes a [Column.Value] or a [Column.Text] from a part of a row. For a row
// without the part it returns none.
func Within[T, P, V any](part func(T) *P, none V) func(of func(*P) V) func(T) V {
	return func(of func(*P) V) func(T) V {
		return func(row T) V {
			if p := part(row); p != nil {
				return of(p)
			}
			return none
		}
	}
}
