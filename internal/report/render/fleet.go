package render

import (
	"io"

	"github.com/timebench/timebench/internal/fleet"
	"github.com/timebench/timebench/internal/show/table"
)

// FleetFormats are the formats of a fleet, the default first.
var FleetFormats = []Format[*fleet.Fleet]{
	{Name: "table", Write: as(Report.Text, OfFleet), Whole: as(Report.Whole, OfFleet)},
	{Name: "markdown", Write: as(plainMarkdown, OfFleet)},
	{Name: "csv", Write: func(w io.Writer, f *fleet.Fleet) error { return table.WriteTables(w, f.Lines()) }},
	{Name: "json", Write: JSON[*fleet.Fleet]},
	{Name: "html", Write: as(Report.HTML, OfFleet)},
}
