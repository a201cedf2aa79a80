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

// compared returns what changed in the costs of clocks. Every document has costs.
func compared(old, new *result.Document, s section.Settings) (section.Comparison, bool) {
	d := compare(old, new, s)
	c := section.Comparison{
		Value: d, Lines: d.lines(),
		Block: table.Block{
			Grids:   append([]table.Grid{costGrid(d), scalingGrid(d, new)}, threadsGrids(d)...),
			Verdict: conclusion(d, s), Missing: inOneOnly(d, old, new),
		},
	}
	for _, change := range d.Changes {
		c.Changes = append(c.Changes, section.Change{
			Clock: change.Name(), What: change.Figure(), Old: words.Number(change.OldNS), New: words.Number(change.NewNS), Unit: "ns",
			Changed: change.Verdict == Slower || change.Verdict == Faster,
		})
	}
	return c, true
}

// lines returns a line for each figure as CSV; threads is empty for latency.
func (d *Changes) lines() [][]string {
	lines := [][]string{{"clock", "threads", "old_ns", "new_ns", "change", "low", "high", "old_runs", "new_runs", "floor", "verdict"}}
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

// costGrid has a row for each clock with a latency in both documents: the slower ones first, then
// the unsteady and the faster ones, then the others by latency.
func costGrid(d *Changes) table.Grid {
	g := table.Grid{
		Title:  "Latency, in ns/read (lowest level)",
		Header: append([]string{"Clock"}, changeHeader...), Spare: []int{1, 4},
	}
	for _, c := range byChange(d) {
		g.Rows = append(g.Rows, append([]string{c.Name()}, changeCells(c)...))
		g.Levels = append(g.Levels, levels[c.Verdict])
	}
	return g
}

// changeHeader has the columns of changeCells.
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
func threadsGrid(d *Changes, title string, shown func(Change) bool) table.Grid {
	g := table.Grid{Title: title, Header: append([]string{"Clock", "threads"}, changeHeader...), Spare: []int{2, 3, 5}}
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
func threadsGrids(d *Changes) []table.Grid {
	differing := threadsGrid(d, "Significant differences by number of threads, in ns/read", func(c Change) bool { return c.Verdict == Slower || c.Verdict == Faster })
	unsteady := threadsGrid(d, "Unsteady figures by number of threads, in ns/read", func(c Change) bool { return c.Verdict == Unsteady })
	all := threadsGrid(d, "Wall time of one thread in ns/read, by number of threads", func(Change) bool { return true })
	none := threadsGrid(d, "", func(Change) bool { return false })
	differing.OnPage, unsteady.OnPage = &all, &none
	return []table.Grid{differing, unsteady}
}

// scalingGrid has a column for each number of threads, with significant changes.
func scalingGrid(d *Changes, new *result.Document) table.Grid {
	var counts []int
	changes := map[string]map[int]Change{}
	var clocks []string
	for _, c := range d.Throughputs() {
		if changes[c.Name()] == nil {
			changes[c.Name()] = map[int]Change{}
			clocks = append(clocks, c.Name())
		}
		changes[c.Name()][c.Threads] = c
		counts = append(counts, c.Threads)
	}
	g := table.Grid{
		Title: "Change of the wall time per read, by number of threads", Header: []string{"Clock"},
		LeftOut: "Some numbers of threads are left out here; CSV and JSON have all.",
	}
	slices.Sort(counts)
	counts = slices.Compact(counts)
	for _, threads := range counts {
		g.Optional = append(g.Optional, table.Optional{Column: len(g.Header), Number: threads, Oversubscribed: oversubscribed(new, threads)})
		g.Header = append(g.Header, strconv.Itoa(threads))
	}
	for _, id := range clocks {
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

// inOneOnly returns the clocks and figures that only one document has.
func inOneOnly(d *Changes, old, new *result.Document) []table.Fact {
	var lines []table.Fact
	for _, side := range []struct {
		name  string
		ids   []string
		other *result.Document
	}{{"Only in the old", d.OnlyOld, new}, {"Only in the new", d.OnlyNew, old}} {
		for _, id := range side.ids {
			lines = append(lines, table.Fact{Name: side.name, Value: id + absence(side.other, id)})
		}
	}
	for _, figure := range d.Lost {
		lines = append(lines, table.Fact{Name: "Only in the old", Value: figure})
	}
	return lines
}

// absence returns the reason why a document does not have a clock, if it has one.
func absence(d *result.Document, id string) string {
	for _, c := range Of(d).Clocks {
		if c.ID == id && c.Reason != "" {
			return " (in the other: " + c.Reason + ")"
		}
	}
	return ""
}
