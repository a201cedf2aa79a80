// Package compare is the section of a result document that says what clocks cost, how fine
// they are and how they scale: how it is shown and drawn. Package measure measures it.
package compare

import (
	"fmt"
	"slices"

	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/section"
	"github.com/timebench/timebench/internal/table"
	"github.com/timebench/timebench/internal/words"
)

// key is that of the clocks in a document.
const key = "clocks"

// Kind is the kind of this section.
var Kind = section.Kind{Kind: result.Kind{Key: key}, Command: "compare", Pictures: pictures}

// Costs are what a document says of the costs of clocks.
type Costs struct{ Document *result.Document }

// Of returns the section of a document; every document has one, if only an empty one.
func Of(d *result.Document) *Costs { return &Costs{d} }

// Key returns the key of the clocks in a document.
func (*Costs) Key() string { return key }

// Check does nothing: the document checks its clocks.
func (*Costs) Check(*result.Checker, string) {}

// Measured reports whether the cost of any clock was measured.
func (c *Costs) Measured() bool {
	return slices.ContainsFunc(c.Document.Clocks, func(c result.Clock) bool { return c.Latency != nil || len(c.Throughput) > 0 })
}

// Fact returns how the costs were measured.
func (c *Costs) Fact() table.Fact { return table.Fact{Name: "Measured", Value: settings(c.Document)} }

// Block returns what clocks cost, which to choose, and which are not there.
func (c *Costs) Block(d *result.Document) table.Block {
	return table.Block{
		Grids: []table.Grid{sourcesGrid(d), sourceThroughputGrid(d), latencyGrid(d), overheadGrid(d), distributionGrid(d), throughputGrid(d)},
		Facts: table.Facts{Title: "Which clock to choose", Lines: summary(d)}, Missing: missing(d),
	}
}

func settings(d *result.Document) string {
	s := d.Settings
	text := fmt.Sprintf("%s of latency; %s of throughput by %s", words.Plural(s.Rounds, "round"), words.Duration(float64(s.TimeNS)), s.Workers)
	if s.TimerResolutionNS > 0 {
		text += ", with a system timer period of " + words.Duration(float64(s.TimerResolutionNS))
	}
	if s.Pin != "none" {
		text += ", pinned " + s.Pin
	}
	if d.FloorNS > 0 {
		text += fmt.Sprintf("; an empty call takes %s ns, included in each figure", words.NS(d.FloorNS))
	}
	return text
}
