package render

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/timebench/timebench/internal/diff"
)

// sideFacts are the lines above the tables of a diff.
func sideFacts(d *diff.Diff) []fact {
	side := func(name string, s diff.Side) fact {
		value := s.File + ", " + s.GeneratedAt.UTC().Format("2006-01-02 15:04:05 UTC")
		if len(s.Noise) > 0 {
			value += "; measured under noise: " + strings.Join(s.Noise, ", ")
		}
		return fact{name, value}
	}
	facts := []fact{side("Old", d.Old), side("New", d.New)}
	if d.Old.GeneratedAt.After(d.New.GeneratedAt) {
		facts[0].value += "; measured after the new one: are they swapped?"
	}
	return facts
}

// setupGrid shows what differs between the machines, tools and settings.
func setupGrid(d *diff.Diff) grid {
	g := grid{title: setupTitle, header: []string{"", "old", "new"}}
	for _, s := range d.Setup {
		g.rows = append(g.rows, []string{s.What, orDash(s.Old), orDash(s.New)})
	}
	return g
}

// setupFacts are the same as lines, since a CPU's name is as wide as a table.
func setupFacts(d *diff.Diff) []fact {
	var lines []fact
	for _, s := range d.Setup {
		lines = append(lines, fact{s.What, orDash(s.Old) + " → " + orDash(s.New)})
	}
	return lines
}

const (
	setupTitle = "What is not the same about the two runs"
	sameSetup  = "Machine, tool and settings are the same."
)

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// costGrid has a row for each clock whose latency is in both documents: what got
// slower first, then what got faster, then the others, the cheapest first.
func costGrid(d *diff.Diff) grid {
	g := grid{
		title:  "What one read costs, in wall ns",
		header: []string{"Clock", "old", "new", "change", "95 % interval", "verdict"},
	}
	for _, c := range byChange(d) {
		g.rows = append(g.rows, []string{c.Clock, ns(c.OldNS), ns(c.NewNS), signed(c.Change), changeInterval(c), string(c.Verdict)})
	}
	return g
}

func byChange(d *diff.Diff) []diff.Change {
	all := d.Latencies()
	rank := map[diff.Verdict]int{diff.Slower: 0, diff.Faster: 1, diff.Same: 2, diff.TooFew: 2}
	slices.SortStableFunc(all, func(a, b diff.Change) int {
		if by := cmp.Compare(rank[a.Verdict], rank[b.Verdict]); by != 0 {
			return by
		}
		if rank[a.Verdict] < 2 {
			return cmp.Compare(math.Abs(b.Change), math.Abs(a.Change))
		}
		return cmp.Compare(a.NewNS, b.NewNS)
	})
	return all
}

// scalingGrid has a column for so many numbers of threads at most, with the change
// where there is one beyond noise.
func scalingGrid(d *diff.Diff, most int) grid {
	var all []int
	changes := map[string]map[int]diff.Change{}
	var clocks []string
	for _, c := range d.Changes {
		if c.Threads == 0 {
			continue
		}
		if changes[c.Clock] == nil {
			changes[c.Clock] = map[int]diff.Change{}
			clocks = append(clocks, c.Clock)
		}
		changes[c.Clock][c.Threads] = c
		all = append(all, c.Threads)
	}
	g := grid{title: "Change of the wall time of a read, by threads reading at once", header: []string{"Clock"}}
	if len(all) == 0 {
		return g
	}
	slices.Sort(all)
	all = slices.Compact(all)
	columns := columnsOf(all, most, func(threads int) bool { return isOversubscribed(d.New.Document, threads) })
	for _, threads := range columns {
		g.header = append(g.header, strconv.Itoa(threads))
	}
	for _, id := range clocks {
		row := []string{id}
		for _, threads := range columns {
			c, ok := changes[id][threads]
			row = append(row, word(c, ok))
		}
		g.rows = append(g.rows, row)
	}
	if len(columns) < len(all) {
		g.note = "Not every number of threads has a column here; CSV and JSON have all."
	}
	return g
}

// word is the cell of one number of threads.
func word(c diff.Change, ok bool) string {
	switch {
	case !ok:
		return "-"
	case c.Verdict == diff.Slower || c.Verdict == diff.Faster:
		return signed(c.Change)
	default:
		return string(c.Verdict)
	}
}

// signed words a change as a percentage, to a tenth below 100 %, and as a factor
// from tenfold.
func signed(change float64) string {
	switch {
	case change >= 9:
		return "× " + times(change+1)
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

// conclusion says how many figures differ, and by which rule; nothing where costs are
// not what the two documents have in common.
func conclusion(d *diff.Diff) string {
	beyond, few := 0, 0
	for _, c := range d.Changes {
		switch c.Verdict {
		case diff.Slower, diff.Faster:
			beyond++
		case diff.TooFew:
			few++
		}
	}
	text := fmt.Sprintf("%d of %s differ beyond noise.", beyond, plural(d.Comparisons-few, "figure"))
	if beyond == 0 && d.Comparisons > 0 {
		text = fmt.Sprintf("Nothing differs beyond noise, in %s.", plural(d.Comparisons-few, "figure"))
	}
	switch {
	case d.Comparisons == 0 && d.PartsCompared() > 0:
		return ""
	case d.Comparisons == 0:
		return "The two documents have no figure in common."
	}
	text += fmt.Sprintf(" Verdicts by the Mann-Whitney U test at α = %s over all of them together (Holm's correction); less than %s, "+
		"or no more than the runs' own noise, is called the same.", threeDigits(d.Settings.Alpha), strings.TrimPrefix(signed(d.Settings.Least), "+"))
	if few > 0 {
		text += fmt.Sprintf(" %s too few samples for a verdict.", plural(few, "figure")+map[bool]string{true: " has", false: " have"}[few == 1])
	}
	return text
}

// onlyFacts list the clocks that are in one document only.
func onlyFacts(d *diff.Diff) []fact {
	var lines []fact
	for _, side := range []struct {
		name  string
		ids   []string
		other diff.Side
	}{{"Only in the old", d.OnlyOld, d.New}, {"Only in the new", d.OnlyNew, d.Old}} {
		for _, id := range side.ids {
			lines = append(lines, fact{side.name, id + absence(side.other, id)})
		}
	}
	return lines
}

// absence is the reason why a document does not have a clock, if it states one.
func absence(s diff.Side, id string) string {
	for _, c := range s.Document.Clocks {
		if c.ID == id && c.Reason != "" {
			return " (in the other: " + c.Reason + ")"
		}
	}
	return ""
}
