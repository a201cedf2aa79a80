package render

import (
	"io"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/show/table"
)

// CSV writes the lines of each section, with an empty line between two sections.
func CSV(w io.Writer, d *result.Document) error {
	var tables [][][]string
	for _, s := range section.In(d) {
		tables = append(tables, s.Lines(d))
	}
	return table.WriteTables(w, tables)
}
