package render

import (
	"io"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/fleet"
	"github.com/timebench/timebench/internal/show/table"
)

// FleetFormats are the formats of a fleet, the default first.
var FleetFormats = []Format[*fleet.Fleet]{
	{Name: "table", About: "for people, within 100 columns", Write: as(Report.Text, OfFleet),
		Whole: as(Report.Whole, OfFleet)},
	{Name: "markdown", About: "for a report", Write: as(plainMarkdown, OfFleet)},
	{Name: "csv", About: "a line for each machine, and for each of its clocks", Write: FleetCSV},
	{Name: "json", About: "all that was compared", Write: FleetJSON},
	{Name: "html", About: "one page with the picture", Write: as(Report.HTML, OfFleet)},
}

// FleetCSV writes the machines, their costs, and the files that could not be read, with empty lines between.
func FleetCSV(w io.Writer, f *fleet.Fleet) error { return table.WriteTables(w, f.Lines()) }

// FleetJSON writes the whole fleet.
func FleetJSON(w io.Writer, f *fleet.Fleet) error {
	text, err := f.JSON()
	if err != nil {
		return err
	}
	return result.WriteIndented(w, text)
}
