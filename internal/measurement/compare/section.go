// Package compare is the section of a result document with the latency, the resolution and the
// throughput of clocks: its types, tables, pictures and CSV. Package measure measures them.
package compare

import (
	"fmt"
	"slices"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

// Kind is the kind of this section.
var Kind = section.Kind{New: func() result.Section { return new(Costs) }, Command: "compare", Pictures: pictures,
	Compare: compared, Join: section.Joining(Join)}

// Of returns the costs of a document, or a detached empty value.
func Of(d *result.Document) *Costs {
	if costs := result.Of[*Costs](d); costs != nil {
		return costs
	}
	return new(Costs)
}

// Into returns the costs of a document for changes to them. It adds empty costs if they are missing.
func Into(d *result.Document) *Costs {
	costs := Of(d)
	d.Put(costs)
	return costs
}

// Key returns "": the keys of the costs are at the top of a document.
func (*Costs) Key() string { return "" }

// Empty reports whether no cost of any clock was measured.
func (c *Costs) Empty() bool {
	return !slices.ContainsFunc(c.Clocks, func(c Clock) bool { return c.Latency != nil || len(c.Throughput) > 0 })
}

// BySource returns the figures of a document by clock source: first its own, then the figures of the experiments; nil
// without experiments.
func BySource(d *result.Document) []Experiment {
	costs := Of(d)
	if len(costs.OtherClockSources) == 0 {
		return nil
	}
	own := Experiment{currentSource(d), costs.FloorNS, d.Conditions, d.Warnings, costs.Clocks}
	return append([]Experiment{own}, costs.OtherClockSources...)
}

// Fact returns how the costs were measured.
func (c *Costs) Fact(d *result.Document) table.Fact {
	return table.Fact{Name: "Measured", Value: settings(d)}
}

// Block returns the tables, which clock to choose, and which clocks are not available.
func (c *Costs) Block(d *result.Document) table.Block {
	return table.Block{
		Grids: slices.Concat([]table.Grid{sourcesGrid(d), sourceThroughputGrid(d), latencyGrid(d)}, layerGrids(d),
			[]table.Grid{distributionGrid(d), throughputGrid(d)}),
		Facts: table.Facts{Title: "Which clock to choose", Lines: summary(d)}, Missing: missing(d), Verdict: c.answer(),
	}
}

func settings(d *result.Document) string {
	s := d.Settings
	if s.Rounds == 0 {
		return "" // nothing was to be measured: a kernel log
	}
	rounds := words.Plural(s.Rounds, "round")
	if d.Conditions != nil && d.Conditions.CompleteRounds > 0 {
		rounds = fmt.Sprintf("%d of %s", d.Conditions.CompleteRounds, rounds)
	}
	text := fmt.Sprintf("%s of latency; %s of throughput by %s", rounds, words.Duration(float64(s.TimeNS)), s.Workers)
	if s.Repeat > 1 {
		text = words.Plural(s.Repeat, "run") + " of " + text
	}
	if s.TimerResolutionNS > 0 {
		text += ", with a system timer period of " + words.Duration(float64(s.TimerResolutionNS))
	}
	if s.Pin != "none" {
		text += ", pinned " + s.Pin
	}
	if Of(d).FloorNS > 0 {
		text += fmt.Sprintf("; an empty call takes %s ns, included in each figure", words.NS(Of(d).FloorNS))
	}
	return text
}
