package section

import (
	"cmp"
	"slices"

	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

// The verdicts on a figure that cannot be better or worse.
const (
	Same    = "same"
	Changed = "changed"
)

// Changes are the figures of a section in both documents. They are listed once; the JSON, the CSV and the
// rows of the table come from the list.
type Changes struct {
	Coverage
	Changes []Change `json:"changes"`
}

// A Change is one figure in both documents.
type Change struct {
	// Subject is the clock, call or program.
	Subject string `json:"subject"`
	What    string `json:"what"`
	Old     Value  `json:"old"`
	New     Value  `json:"new"`
	// Unit is the unit of the values and their bounds; empty for a text and for a share of 1.
	Unit    string `json:"unit,omitempty"`
	Verdict string `json:"verdict"`
}

// A Value is a figure in one document.
type Value struct {
	// Value is a number or a text.
	Value any `json:"value"`
	// Bound is the error bound of a number. Low and High are the ends of an interval around it, if it is
	// not symmetric.
	Bound float64 `json:"bound,omitempty"`
	Low   float64 `json:"low,omitempty"`
	High  float64 `json:"high,omitempty"`
	// Detail is what the value depends on, or its reason.
	Detail string `json:"detail,omitempty"`
}

// Number returns a number; 0 if the value is a text.
func (v Value) Number() float64 { n, _ := v.Value.(float64); return n }

// Text returns a text; empty if the value is a number.
func (v Value) Text() string { text, _ := v.Value.(string); return text }

// Add adds a figure; its verdict is by changed.
func (c *Changes) Add(of Change, changed bool) {
	of.Verdict = Same
	if changed {
		of.Verdict = Changed
	}
	c.Changes = append(c.Changes, of)
}

// Count returns the number of figures, and how many of them changed.
func (c *Changes) Count() (all, changed int) {
	for _, of := range c.Changes {
		if of.Verdict == Changed {
			changed++
		}
	}
	return len(c.Changes), changed
}

// CSV returns a line for each figure, the header first.
func (c *Changes) CSV(key string) [][]string {
	side := func(name string, of func(Change) Value) []table.Column[Change] {
		return []table.Column[Change]{
			{Key: name, Text: func(c Change) string {
				if text, ok := of(c).Value.(string); ok {
					return text
				}
				return words.Number(of(c).Number())
			}},
			{Key: name + "_bound", Value: func(c Change) float64 {
				_, text := of(c).Value.(string)
				return table.If(!text, of(c).Bound)
			}},
			{Key: name + "_detail", Text: func(c Change) string { return of(c).Detail }},
		}
	}
	return table.Lines(c.Changes, slices.Concat(
		[]table.Column[Change]{
			{Key: "part", Text: func(Change) string { return key }},
			{Key: "subject", Text: func(c Change) string { return c.Subject }},
			{Key: "what", Text: func(c Change) string { return c.What }},
		},
		side("old", func(c Change) Value { return c.Old }), side("new", func(c Change) Value { return c.New }),
		[]table.Column[Change]{
			{Key: "unit", Text: func(c Change) string { return c.Unit }},
			{Key: "verdict", Text: func(c Change) string { return c.Verdict }},
		}))
}

// A Part is what the table of changes shows of a value, in a column for each document.
type Part struct {
	// Name is the heading; empty for old and new.
	Name string
	Cell func(Value) string
	// Spare is for the column of the new value; the old value is left out first.
	Spare int
}

// Columns returns the columns of a table of changes: the subject, the figure (unless what is empty), the parts of the
// old and of the new value, and the verdict. subject and what are the headings.
func Columns(subject, what string, parts ...Part) []table.Column[Change] {
	all := []table.Column[Change]{{Name: subject, Left: true, First: func(c Change) bool { return c.Verdict != Same },
		Text: func(c Change) string { return c.Subject }}}
	if what != "" {
		all = append(all, table.Column[Change]{Name: what, Left: true, Text: func(c Change) string { return c.What }})
	}
	for _, side := range []struct {
		name  string
		of    func(Change) Value
		spare int
	}{{"old", func(c Change) Value { return c.Old }, 1}, {"new", func(c Change) Value { return c.New }, 0}} {
		for _, part := range parts {
			all = append(all, table.Column[Change]{Name: cmp.Or(part.Name, side.name), Spare: part.Spare + side.spare,
				Cell: func(c Change) string { return part.Cell(side.of(c)) }})
		}
	}
	return append(all, table.Column[Change]{Name: "verdict", Text: func(c Change) string { return c.Verdict }})
}

// Block returns a table with a row for each figure, and a sentence with the number of changes: see [Verdict].
func (c *Changes) Block(title, noun, rule string, columns []table.Column[Change]) table.Block {
	all, changed := c.Count()
	return table.Block{Title: title, Grids: []table.Grid{table.Of(title, c.Changes, columns)}, Notes: c.Notes(),
		Verdict: Verdict(changed, all, noun, rule)}
}
