package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

// A Wording is the words of the tables of changes.
type Wording struct {
	// Title is that of the block, and precedes that of each table; empty for clocks.
	Title string
	// Subject is the heading of the subjects, and Unit that of the costs.
	Subject, Unit string
}

// Compare returns what changed in the costs of subjects. otherSpeed is whether the machine ran at another speed.
func Compare(old, new []Subject, otherSpeed bool, s section.Settings, w Wording) section.Comparison {
	d := changesOf(old, new, otherSpeed, s)
	return section.Comparison{Value: d, Block: changesBlock(d, old, new, s, w)}
}

func changesBlock(d *Changes, old, new []Subject, s section.Settings, w Wording) table.Block {
	return table.Block{
		Title: w.Title, Grids: append([]table.Grid{costGrid(d, w), layersGrid(d, w), scalingGrid(d, new, w)}, threadsGrids(d, w)...),
		Verdict: conclusion(d, s), Missing: inOneOnly(d, old, new),
	}
}

// compared returns what changed in the costs of clocks. Every document has costs.
func compared(old, new *result.Document, s section.Settings) (section.Comparison, bool) {
	before, after := subjects(old), subjects(new)
	d := changesOf(before, after, otherSpeed(old, new), s)
	d.addLayers(old, new)
	return section.Comparison{Value: d, Block: changesBlock(d, before, after, s, Wording{Subject: "Clock", Unit: "ns/read"})}, true
}

// grid returns a table without rows, whose first column has the subjects.
func (w Wording) grid(title string, header ...string) table.Grid {
	if w.Title != "" {
		title = w.Title + ": " + title
	}
	return table.Grid{Title: title, Header: append([]string{w.Subject}, header...)}
}

// CSV returns a line for each figure, the header first; threads is empty for latency.
func (d *Changes) CSV(string) [][]string {
	lines := [][]string{{"subject", "threads", "old_ns", "new_ns", "change", "low", "high", "old_runs", "new_runs", "floor", "verdict"}}
	for _, c := range d.Changes {
		threads, low, high := "", "", ""
		if c.Threads > 0 {
			threads = strconv.Itoa(c.Threads)
		}
		if c.Confidence > 0 {
			low, high = words.Number(c.Low), words.Number(c.High)
		}
		lines = append(lines, []string{
			c.Name(), threads, words.Number(c.OldNS), words.Number(c.NewNS), words.Number(c.Change), low, high,
			strconv.Itoa(c.OldRuns), strconv.Itoa(c.NewRuns), words.Number(c.Floor), string(c.Verdict),
		})
	}
	return lines
}

// costGrid has a row for each subject with a latency in both documents: the slower ones first, then
// the unsteady and the faster ones, then the others by latency.
func costGrid(d *Changes, w Wording) table.Grid {
	g := w.grid("Latency, in "+w.Unit+" (lowest level)", changeHeader...)
	g.Spare = []int{1, 4}
	for _, c := range byChange(d) {
		g.Rows = append(g.Rows, append([]string{c.Name()}, changeCells(c)...))
		g.Levels = append(g.Levels, levels[c.Verdict])
	}
	return g
}

var changeHeader = []string{"old", "new", "change", "99% CI", "verdict"}

func changeCells(c Change) []string {
	return []string{words.NS(c.OldNS), words.NS(c.NewNS), signed(c.Change), changeInterval(c), verdictCell(c)}
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

// levels are those of the verdicts that matter.
var levels = map[Verdict]table.Level{Slower: table.Error, Unsteady: table.Warn, Faster: table.OK}

func byChange(d *Changes) []Change {
	const untold = 4
	rank := func(c Change) int { return cmp.Or(rankOf[c.Verdict], untold) }
	all := d.Latencies()
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

// threadsGrid has a row for each figure of throughput that shown selects.
func threadsGrid(d *Changes, w Wording, title string, shown func(Change) bool) table.Grid {
	g := w.grid(title, append([]string{"threads"}, changeHeader...)...)
	g.Spare = []int{2, 3, 5}
	for _, c := range d.Throughputs() {
		if shown(c) {
			g.Rows = append(g.Rows, append([]string{c.Name(), strconv.Itoa(c.Threads)}, changeCells(c)...))
			g.Levels = append(g.Levels, levels[c.Verdict])
		}
	}
	return g
}

// threadsGrids returns the figures of throughput that differ, and those that are unsteady; a page
// shows all in one grid. The grid with a column for each number of threads has room for the change
// only.
func threadsGrids(d *Changes, w Wording) []table.Grid {
	differing := threadsGrid(d, w, "Significant differences by number of threads, in "+w.Unit, func(c Change) bool { return c.Verdict == Slower || c.Verdict == Faster })
	unsteady := threadsGrid(d, w, "Unsteady figures by number of threads, in "+w.Unit, func(c Change) bool { return c.Verdict == Unsteady })
	all := threadsGrid(d, w, "Wall time of one thread in "+w.Unit+", by number of threads", func(Change) bool { return true })
	none := threadsGrid(d, w, "", func(Change) bool { return false })
	differing.OnPage, unsteady.OnPage = &all, &none
	return []table.Grid{differing, unsteady}
}

// scalingGrid has a column for each number of threads, with significant changes.
func scalingGrid(d *Changes, new []Subject, w Wording) table.Grid {
	var counts []int
	changes := map[string]map[int]Change{}
	var names []string
	for _, c := range d.Throughputs() {
		if changes[c.Name()] == nil {
			changes[c.Name()] = map[int]Change{}
			names = append(names, c.Name())
		}
		changes[c.Name()][c.Threads] = c
		counts = append(counts, c.Threads)
	}
	g := w.grid("Change of the wall time per read, by number of threads")
	slices.Sort(counts)
	counts = slices.Compact(counts)
	for _, threads := range counts {
		g.Optional = append(g.Optional, table.Optional{Column: len(g.Header), Number: threads, Oversubscribed: oversubscribed(new, threads)})
		g.Header = append(g.Header, strconv.Itoa(threads))
	}
	for _, id := range names {
		row := []string{id}
		for _, threads := range counts {
			c, ok := changes[id][threads]
			row = append(row, scalingCell(c, ok))
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// scalingCell returns the cell of one number of threads; ok is whether there is a figure.
func scalingCell(c Change, ok bool) string {
	switch {
	case !ok:
		return "-"
	case c.Verdict == Slower || c.Verdict == Faster:
		return signed(c.Change)
	default:
		return string(c.Verdict)
	}
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

func changeInterval(c Change) string {
	if c.Confidence == 0 {
		return "-"
	}
	return signed(c.Low) + " to " + signed(c.High)
}

// conclusion returns by which rule the figures were judged, and which could not be; "" if the documents have no
// cost in common.
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
		text += fmt.Sprintf(" %s too few samples for a verdict.", words.Plural(n, "figure")+map[bool]string{true: " has", false: " have"}[n == 1])
	}
	return text
}

// rule returns by which rule the figures were judged.
func rule(d *Changes, s section.Settings) string {
	percent := func(share float64) string { return strings.TrimPrefix(signed(share), "+") }
	var floors []float64 // above the smallest change that counts
	for _, c := range d.Changes {
		if c.Floor > s.MinChange {
			floors = append(floors, c.Floor)
		}
	}
	slices.Sort(floors)
	switch floors = slices.Compact(floors); len(floors) {
	case 0:
		return fmt.Sprintf("Changes below %s are called the same, and so are those whose 99%% CI includes 0 %%.", percent(s.MinChange))
	case 1:
		return fmt.Sprintf("Changes below %s are not judged with fewer than five runs on a side; measure with --repeat 5.", percent(floors[0]))
	default:
		return fmt.Sprintf("Changes below %s (latency in user mode) and %s (other figures) are not judged with fewer than five runs on a side; measure with --repeat 5.",
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
			if i := slices.IndexFunc(side.other, func(s Subject) bool { return s.name() == id && s.Reason != "" }); i >= 0 {
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
	// Name is that of the [Layer].
	Name string `json:"name"`
	// OldNS and NewNS are the parts of the medians of a read. They have no verdict: a run does not show by how much
	// the parts of others differ.
	OldNS float64 `json:"old_ns"`
	NewNS float64 `json:"new_ns"`
}

// addLayers adds the layers of the clocks whose latency differs, where both documents have the same ones.
func (d *Changes) addLayers(old, new *result.Document) {
	layers := func(of *result.Document, id string) []Layer {
		clocks := Of(of).Clocks
		if i := slices.IndexFunc(clocks, func(c Clock) bool { return c.ID == id }); i >= 0 {
			return clocks[i].Layers
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
	g := w.grid("Where the difference is, in "+w.Unit+" (parts of the medians)", "layer", "old", "new", "difference")
	g.Texts = 2
	for _, c := range byChange(d) {
		for _, l := range c.Layers {
			g.Rows = append(g.Rows, []string{c.Name(), l.Name, words.NS(l.OldNS), words.NS(l.NewNS), words.SignedDuration(l.NewNS - l.OldNS)})
		}
	}
	return g
}
