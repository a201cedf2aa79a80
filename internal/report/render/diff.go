package render

import (
	"io"

	"github.com/timebench/timebench/internal/diff"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/table"
)

// DiffCSV writes the figures of each section, with an empty line between two sections. A section
// without figures is left out if another has some.
func DiffCSV(w io.Writer, d *diff.Diff) error {
	var tables [][][]string
	all, _ := d.Count()
	for _, of := range d.Sections {
		if lines := of.Value.CSV(of.Key); len(lines) > 1 || all == 0 {
			tables = append(tables, lines)
		}
	}
	return table.WriteTables(w, tables)
}

// DiffJSON writes the whole diff.
func DiffJSON(w io.Writer, d *diff.Diff) error {
	text, err := d.JSON()
	if err != nil {
		return err
	}
	return result.WriteIndented(w, text)
}
