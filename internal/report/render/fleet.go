package render

import (
	"io"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/fleet"
	"github.com/timebench/timebench/internal/show/table"
)

// FleetFormats are the formats of a fleet, the default first.
var FleetFormats = []Format[*fleet.Fleet]{
	{"table", "for people, within 100 columns", as(Report.Text, OfFleet)},
	{"markdown", "for a report", as(plainMarkdown, OfFleet)},
	{"csv", "a line for each machine, and for each of its clocks", FleetCSV},
	{"json", "all that was compared", FleetJSON},
	{"html", "one page with the picture", as(Report.HTML, OfFleet)},
}

// FleetCSV writes the machines, their costs, and what could not be read, with empty lines between.
func FleetCSV(w io.Writer, f *fleet.Fleet) error { return table.WriteTables(w, f.Lines()) }

// FleetJSON writes the whole fleet.
func FleetJSON(w io.Writer, f *fleet.Fleet) error {
	text, err := f.JSON()
	if err != nil {
		return err
	}
	return result.WriteIndented(w, text)
}
