package render

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/timebench/timebench/internal/compare"
	"github.com/timebench/timebench/internal/diff"
	"github.com/timebench/timebench/internal/table"
	"github.com/timebench/timebench/internal/words"
)

// sideFacts returns the lines above the tables of a diff.
func sideFacts(d *diff.Diff) []table.Fact {
	side := func(name string, s diff.Side) table.Fact {
		value := s.File + ", " + s.GeneratedAt.UTC().Format("2006-01-02 15:04:05 UTC")
		if len(s.Noise) > 0 {
			value += "; measured under noise: " + strings.Join(s.Noise, ", ")
		}
		return table.Fact{Name: name, Value: value}
	}
	facts := []table.Fact{side("Old", d.Old), side("New", d.New)}
	if d.Old.GeneratedAt.After(d.New.GeneratedAt) {
		facts[0].Value += "; newer than the new one: are they swapped?"
	}
	return facts
}

// setupGrid has the differences between the machines, tools and settings.
func setupGrid(d *diff.Diff) table.Grid {
	g := table.Grid{Title: setupTitle, Header: []string{"", "old", "new"}}
	for _, s := range d.Setup {
		g.Rows = append(g.Rows, []string{s.What, orDash(s.Old), orDash(s.New)})
	}
	return g
}

// setupFacts returns the same as lines, because the name of a CPU is as wide as a table.
func setupFacts(d *diff.Diff) []table.Fact {
	var lines []table.Fact
	for _, s := range d.Setup {
		lines = append(lines, table.Fact{Name: s.What, Value: orDash(s.Old) + " → " + orDash(s.New)})
	}
	return lines
}

const (
	setupTitle = "Differences between the runs"
	sameSetup  = "Machine, tool and settings are the same."
)

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// costGrid has a row for each clock with a latency in both documents: the slower ones first, then
// the unsteady and the faster ones, then the others by latency.
func costGrid(d *diff.Diff) table.Grid {
	g := table.Grid{
		Title:  "Latency, in ns/read",
		Header: []string{"Clock", "old", "new", "change", "95% CI", "quiet", "verdict"},
	}
	for _, c := range byChange(d) {
		g.Rows = append(g.Rows, append([]string{c.Name()}, changeCells(c)...))
	}
	if len(g.Rows) > 0 {
		g.Note = "quiet: the change while nothing disturbs the CPU; it decides the verdict."
	}
	return g
}

func changeCells(c diff.Change) []string {
	return []string{words.NS(c.OldNS), words.NS(c.NewNS), signed(c.Change), changeInterval(c), signed(c.Quiet), string(c.Verdict)}
}

// told ranks the verdicts that report a difference.
var told = map[diff.Verdict]int{diff.Slower: 1, diff.Unsteady: 2, diff.Faster: 3}

func byChange(d *diff.Diff) []diff.Change {
	const untold = 4
	rank := func(c diff.Change) int { return cmp.Or(told[c.Verdict], untold) }
	all := d.Latencies()
	slices.SortStableFunc(all, func(a, b diff.Change) int {
		if by := cmp.Compare(rank(a), rank(b)); by != 0 {
			return by
		}
		if rank(a) < untold {
			return cmp.Compare(math.Abs(b.Quiet), math.Abs(a.Quiet))
		}
		return cmp.Compare(a.NewNS, b.NewNS)
	})
	return all
}

// threadsGrid has a row for each figure of throughput that shown selects.
func threadsGrid(d *diff.Diff, title string, shown func(diff.Change) bool) table.Grid {
	g := table.Grid{Title: title, Header: []string{"Clock", "threads", "old", "new", "change", "95% CI", "quiet", "verdict"}}
	for _, c := range d.Throughputs() {
		if shown(c) {
			g.Rows = append(g.Rows, append([]string{c.Name(), strconv.Itoa(c.Threads)}, changeCells(c)...))
		}
	}
	return g
}

// differingThreads has the figures that differ: the grid with a column for each number of threads
// has room for the change only.
func differingThreads(d *diff.Diff) table.Grid {
	return threadsGrid(d, "Significant differences by number of threads, in ns/read", func(c diff.Change) bool { return told[c.Verdict] > 0 })
}

func allThreads(d *diff.Diff) table.Grid {
	return threadsGrid(d, "Wall time of one thread in ns/read, by number of threads", func(diff.Change) bool { return true })
}

// scalingGrid has a column for each number of threads, with significant changes.
func scalingGrid(d *diff.Diff) table.Grid {
	var counts []int
	changes := map[string]map[int]diff.Change{}
	var clocks []string
	for _, c := range d.Throughputs() {
		if changes[c.Name()] == nil {
			changes[c.Name()] = map[int]diff.Change{}
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
		g.Optional = append(g.Optional, table.Optional{Column: len(g.Header), Number: threads, Oversubscribed: compare.Oversubscribed(d.New.Document, threads)})
		g.Header = append(g.Header, strconv.Itoa(threads))
	}
	for _, id := range clocks {
		row := []string{id}
		for _, threads := range counts {
			c, ok := changes[id][threads]
			row = append(row, word(c, ok))
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// word returns the cell of one number of threads.
func word(c diff.Change, ok bool) string {
	switch {
	case !ok:
		return "-"
	case c.Verdict == diff.Slower || c.Verdict == diff.Faster:
		return signed(c.Quiet)
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

func changeInterval(c diff.Change) string {
	if c.Confidence == 0 {
		return "needs 7 samples"
	}
	return signed(c.Low) + " to " + signed(c.High)
}

// conclusion returns how many figures differ, and by which rule; nothing if the documents have
// only other sections in common.
func conclusion(d *diff.Diff) string {
	verdicts := map[diff.Verdict]int{}
	for _, c := range d.Changes {
		verdicts[c.Verdict]++
	}
	beyond, few, unsteady := verdicts[diff.Slower]+verdicts[diff.Faster], verdicts[diff.TooFew], verdicts[diff.Unsteady]
	text := fmt.Sprintf("%d of %s differ significantly.", beyond, words.Plural(d.Comparisons-few, "figure"))
	switch same := d.Comparisons - few - unsteady; {
	case beyond > 0:
	case same > 0:
		text = fmt.Sprintf("No significant difference in %s.", words.Plural(same, "figure"))
	default:
		text = "No verdict is possible."
	}
	switch {
	case d.Comparisons == 0 && d.Compared() > 0:
		return ""
	case d.Comparisons == 0:
		return "The two documents have no figure in common."
	}
	text += fmt.Sprintf(" Verdicts by the Mann-Whitney U test at α = %s over all of them together (Holm's correction); less than %s "+
		"beyond the runs' own noise is called the same.", words.ThreeDigits(d.Settings.Alpha), strings.TrimPrefix(signed(d.Settings.Least), "+"))
	if unsteady > 0 {
		text += fmt.Sprintf(" %s unsteady: a run changed while it lasted, or shared its CPUs. Measure again.", words.Plural(unsteady, "figure")+words.Are(unsteady))
	}
	if few > 0 {
		text += fmt.Sprintf(" %s too few samples for a verdict.", words.Plural(few, "figure")+map[bool]string{true: " has", false: " have"}[few == 1])
	}
	return text
}

// onlyFacts returns the clocks that only one document has.
func onlyFacts(d *diff.Diff) []table.Fact {
	var lines []table.Fact
	for _, side := range []struct {
		name  string
		ids   []string
		other diff.Side
	}{{"Only in the old", d.OnlyOld, d.New}, {"Only in the new", d.OnlyNew, d.Old}} {
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
func absence(s diff.Side, id string) string {
	for _, c := range compare.Of(s.Document).Clocks {
		if c.ID == id && c.Reason != "" {
			return " (in the other: " + c.Reason + ")"
		}
	}
	return ""
}
