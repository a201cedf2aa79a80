package section

import (
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
	// Unit is that of the values and their bounds; empty for a text and for a share of 1.
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

// cells returns the value as CSV.
func (v Value) cells() []string {
	if text, ok := v.Value.(string); ok {
		return []string{text, "", v.Detail}
	}
	return []string{words.Number(v.Number()), words.Number(v.Bound), v.Detail}
}

// Add adds a figure; its verdict is by changed.
func (c *Changes) Add(of Change, changed bool) {
	of.Verdict = Same
	if changed {
		of.Verdict = Changed
	}
	c.Changes = append(c.Changes, of)
}

// Count returns the number of figures, and of those that changed.
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
	lines := [][]string{{"part", "subject", "what", "old", "old_bound", "old_detail", "new", "new_bound", "new_detail", "unit", "verdict"}}
	for _, of := range c.Changes {
		lines = append(lines, slices.Concat([]string{key, of.Subject, of.What}, of.Old.cells(), of.New.cells(), []string{of.Unit, of.Verdict}))
	}
	return lines
}

// Block returns a table with a row for each figure, and a sentence with the number of those that changed: see
// [Verdict]. cells returns a value as cells. What is in a column if g has two columns of text.
func (c *Changes) Block(g table.Grid, noun, rule string, cells func(Value) []string) table.Block {
	for _, of := range c.Changes {
		names := []string{of.Subject, of.What}[:max(1, g.Texts)]
		g.Rows = append(g.Rows, slices.Concat(names, cells(of.Old), cells(of.New), []string{of.Verdict}))
	}
	all, changed := c.Count()
	return table.Block{Title: g.Title, Grids: []table.Grid{g}, Notes: c.Notes(), Verdict: Verdict(changed, all, noun, rule)}
}
