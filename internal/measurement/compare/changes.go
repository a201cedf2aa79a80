package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

// A Wording has the titles and headings of the tables of changes.
type Wording struct {
	// Title is the title of the block and the prefix of each table's title; empty for clocks.
	Title string
	// Subject is the heading of the subjects, Figure what is compared of them, and Unit its unit.
	Subject, Figure, Unit string
}

// Compare returns what changed in the costs of the subjects of a section; false if neither document has the section.
// different returns the other differences, if both have it.
func Compare[T any](old, new *result.Document, of func(*result.Document) *T, subjects func(*result.Document) []Subject,
	different func(old, new *T) []section.Difference, s section.Settings, w Wording) (section.Comparison, bool) {
	oldSection, newSection, before, after := of(old), of(new), subjects(old), subjects(new)
	d := changesOf(before, after, false, s)
	c := section.Comparison{Value: d, Block: changesBlock(d, before, after, s, w)}
	switch {
	case oldSection != nil && newSection != nil:
		c.Settings = section.Differing(different(oldSection, newSection)...)
		return c, true
	case oldSection != nil:
		d.OnlyIn = section.InOld
	case newSection != nil:
		d.OnlyIn = section.InNew
	default:
		return section.Comparison{}, false
	}
	c.Block = table.Block{Title: w.Title, Verdict: d.Absent()}
	return c, true
}

func changesBlock(d *Changes, old, new []Subject, s section.Settings, w Wording) table.Block {
	return table.Block{
		Title: w.Title, Grids: []table.Grid{costGrid(d, w), layersGrid(d, w)},
		Verdict: conclusion(d, s), Missing: inOneOnly(d, old, new),
	}
}

// compared returns what changed in the costs of clocks. Every document has costs.
func compared(old, new *result.Document, s section.Settings) (section.Comparison, bool) {
	before, after := subjects(old), subjects(new)
	d := changesOf(before, after, otherSpeed(old, new), s)
	d.addLayers(old, new)
	return section.Comparison{Value: d, Block: changesBlock(d, before, after, s,
		Wording{Subject: "Clock", Figure: "Latency", Unit: "ns/read"})}, true
}

func (w Wording) titled(title string) string {
	return strings.Join(append(words.Present(w.Title), title), ": ")
}

var changeColumns = []table.Column[Change]{
	{Name: "Clock", Key: "subject", Left: true, Text: Change.Name},
	{Name: "threads", Key: "threads", Unit: words.Count,
		Value: func(c Change) float64 { return table.Known(float64(c.Threads)) }},
	{Name: "old", Key: "old_ns", Spare: 3, Unit: words.NS, Value: func(c Change) float64 { return c.OldNS }},
	{Name: "new", Key: "new_ns", Spare: 2, Unit: words.NS, Value: func(c Change) float64 { return c.NewNS }},
	{Name: "change", Key: "change", Unit: signed, Value: func(c Change) float64 { return c.Change }},
	{
		Name: "verdict", Key: "verdict", Text: func(c Change) string { return string(c.Verdict) }, Cell: verdictCell,
		Level: func(c Change) table.Level { return levels[c.Verdict] },
	},
	{
		Name: "99% CI", Key: "low", Spare: 1, Value: func(c Change) float64 { return table.If(c.Confidence > 0, c.Low) },
		Cell: func(c Change) string {
			if c.Confidence == 0 {
				return ""
			}
			return signed(c.Low) + " to " + signed(c.High)
		},
	},
	{Key: "high", Value: func(c Change) float64 { return table.If(c.Confidence > 0, c.High) }},
	{Key: "old_runs", Value: func(c Change) float64 { return float64(c.OldRuns) }},
	{Key: "new_runs", Value: func(c Change) float64 { return float64(c.NewRuns) }},
	{Key: "floor", Value: func(c Change) float64 { return c.Floor }},
}

// CSV returns a line for each figure, the header first; threads is empty for latency.
func (d *Changes) CSV(string) [][]string { return table.Lines(d.Changes, changeColumns) }

// costGrid has a row for each latency in both documents, and for each cost with several threads that differs or has no
// verdict: the slower ones first, then the unsteady and the faster ones, then the others by latency.
func costGrid(d *Changes, w Wording) table.Grid {
	columns := slices.Clone(changeColumns)
	columns[0].Name = w.Subject
	rows := ranked(d.having(func(c Change) bool { return c.Threads == 0 || c.Verdict != Same }))
	g := table.Of(w.titled(w.Figure+", in "+w.Unit+" (lowest level)"), rows, columns)
	if slices.ContainsFunc(rows, func(c Change) bool { return c.Threads > 0 }) {
		g.Note = "threads: wall time with threads that read at once, where it differs or has no verdict."
	}
	return g
}

// verdictCell returns the verdict, with the change of the median if that is why the figure is unsteady.
func verdictCell(c Change) string {
	if c.Verdict == Unsteady && c.medianMoved() {
		return fmt.Sprintf("%s (median %s)", c.Verdict, signed(c.MedianChange))
	}
	return string(c.Verdict)
}

// rankOf ranks the verdicts that report a difference.
var rankOf = map[Verdict]int{Slower: 1, Unsteady: 2, Faster: 3}

// levels highlight the verdicts that matter.
var levels = map[Verdict]table.Level{Slower: table.Error, Unsteady: table.Warn, Faster: table.OK}

// ranked returns changes in the order of a table.
func ranked(all []Change) []Change {
	const untold = 4
	rank := func(c Change) int { return cmp.Or(rankOf[c.Verdict], untold) }
	slices.SortStableFunc(all, func(a, b Change) int {
		if by := cmp.Compare(rank(a), rank(b)); by != 0 {
			return by
		}
		if rank(a) < untold {
			return cmp.Compare(math.Abs(b.Change), math.Abs(a.Change))
		}
		return cmp.Compare(a.NewNS, b.NewNS)
	})
	return all
}

// signed returns a change as a percentage, to a tenth below 100 %, and as a factor from × 10.
func signed(change float64) string {
	switch {
	case change >= 9:
		return "× " + words.Times(change+1)
	case math.Abs(change) >= 1:
		return fmt.Sprintf("%+.0f %%", change*100)
	case math.Abs(change) < 0.0005:
		return "0.0 %"
	default:
		return fmt.Sprintf("%+.1f %%", change*100)
	}
}

// conclusion returns the rule of the verdicts, and the numbers of unsteady and unjudged figures; "" if the documents
// have no cost in common.
func conclusion(d *Changes, s section.Settings) string {
	if d.Comparisons == 0 {
		return ""
	}
	verdicts := map[Verdict]int{}
	for _, c := range d.Changes {
		verdicts[c.Verdict]++
	}
	text := rule(d, s)
	if n := verdicts[Unsteady]; n > 0 {
		text += fmt.Sprintf(" %s unsteady: a run changed while it lasted, shared its CPUs, or ran at another speed. Measure again.", words.Plural(n, "figure")+words.Are(n))
	}
	if n := verdicts[TooFew]; n > 0 {
		text += fmt.Sprintf(" %s too few samples for a verdict.", words.Plural(n,
			"figure")+map[bool]string{true: " has", false: " have"}[n == 1])
	}
	return text
}

func rule(d *Changes, s section.Settings) string {
	percent := func(share float64) string { return strings.TrimPrefix(signed(share), "+") }
	var floors []float64 // of the figures with few runs
	for _, c := range d.Changes {
		if c.Confidence == 0 {
			floors = append(floors, c.Floor)
		}
	}
	slices.Sort(floors)
	switch floors = slices.Compact(floors); len(floors) {
	case 0:
		return fmt.Sprintf("Changes below %s are called the same, and so are those whose 99%% CI includes 0 %%.",
			percent(s.MinChange))
	case 1:
		return fmt.Sprintf("Changes below %s are not judged with fewer than five runs on a side.", percent(floors[0]))
	default:
		return fmt.Sprintf("Changes below %s (latency in user mode) and %s (other figures) are not judged with fewer than five runs on a side.",
			percent(floors[0]), percent(floors[1]))
	}
}

// inOneOnly returns the subjects and figures that only one document has.
func inOneOnly(d *Changes, old, new []Subject) []table.Fact {
	var lines []table.Fact
	for _, side := range []struct {
		name  string
		ids   []string
		other []Subject
	}{{"Only in the old", d.OnlyOld, new}, {"Only in the new", d.OnlyNew, old}} {
		for _, id := range side.ids {
			if i := slices.IndexFunc(side.other,
				func(s Subject) bool { return s.name() == id && s.Reason != "" }); i >= 0 {
				id += " (in the other: " + side.other[i].Reason + ")"
			}
			lines = append(lines, table.Fact{Name: side.name, Value: id})
		}
	}
	for _, figure := range d.Lost {
		lines = append(lines, table.Fact{Name: "Only in the old", Value: figure})
	}
	return lines
}

// A LayerChange is a part of a read in both documents.
type LayerChange struct {
	// Name is the name of the [Layer].
	Name string `json:"name"`
	// OldNS and NewNS are parts of the median latencies. They have no verdict: one run does not show how much the parts
	// differ between runs.
	OldNS float64 `json:"old_ns"`
	NewNS float64 `json:"new_ns"`
}

// addLayers adds the layers of the clocks whose latency differs, if both documents have the same layers.
func (d *Changes) addLayers(old, new *result.Document) {
	layers := func(of *result.Document, id string) []Layer {
		if c := clockOf(Of(of).Clocks, id); c != nil {
			return c.Layers
		}
		return nil
	}
	for i := range d.Changes {
		c := &d.Changes[i]
		if c.Threads > 0 || c.ClockSource != "" || c.Verdict != Slower && c.Verdict != Faster {
			continue
		}
		before, after := layers(old, c.Subject), layers(new, c.Subject)
		if !slices.EqualFunc(before, after, func(a, b Layer) bool { return a.Name == b.Name }) {
			continue
		}
		for k, l := range before {
			c.Layers = append(c.Layers, LayerChange{l.Name, l.NS, after[k].NS})
		}
	}
}

func layersGrid(d *Changes, w Wording) table.Grid {
	type changed struct {
		of    Change
		layer LayerChange
	}
	var all []changed
	for _, c := range ranked(d.Latencies()) {
		for _, l := range c.Layers {
			all = append(all, changed{c, l})
		}
	}
	return table.Of(w.titled("Where the difference is, in "+w.Unit+" (parts of the medians)"), all,
		[]table.Column[changed]{
			{Name: w.Subject, Left: true, Cell: func(c changed) string { return c.of.Name() }},
			{Name: "layer", Left: true, Cell: func(c changed) string { return c.layer.Name }},
			{Name: "old", Cell: func(c changed) string { return words.NS(c.layer.OldNS) }},
			{Name: "new", Cell: func(c changed) string { return words.NS(c.layer.NewNS) }},
			{Name: "difference", Cell: func(c changed) string { return words.SignedDuration(c.layer.NewNS - c.layer.OldNS) }},
		})
}
