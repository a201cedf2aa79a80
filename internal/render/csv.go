package render

import (
	"io"

	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/section"
	"github.com/timebench/timebench/internal/table"
)

// CSV writes the lines of each section, with an empty line between two sections.
func CSV(w io.Writer, d *result.Document) error {
	for i, s := range section.In(d) {
		if i > 0 {
			if _, err := io.WriteString(w, "\n"); err != nil {
				return err
			}
		}
		if err := table.WriteCSV(w, s.Lines(d)); err != nil {
			return err
		}
	}
	return nil
}
