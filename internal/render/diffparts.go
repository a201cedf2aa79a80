package render

import (
	"fmt"
	"strings"

	"github.com/timebench/timebench/internal/diff"
	"github.com/timebench/timebench/internal/table"
	"github.com/timebench/timebench/internal/words"
)

// diffParts are what changed beside costs.
func diffParts(d *diff.Diff) []table.Block {
	var all []table.Block
	if v := d.Verification; v != nil {
		all = append(all, verificationChanges(v))
	}
	if s := d.Skew; s != nil {
		all = append(all, skewChanges(s))
	}
	if t := d.Drift; t != nil {
		all = append(all, driftChanges(t))
	}
	return all
}

// absent says that one of the documents lacks a part.
func absent(c diff.Coverage) string { return "Only the " + c.OnlyIn + " document has this." }

// onlyNotes list the clocks that one of the documents lacks.
func onlyNotes(c diff.Coverage) []string {
	var notes []string
	for _, side := range []struct {
		name string
		ids  []string
	}{{"Only in the old: ", c.OnlyOld}, {"Only in the new: ", c.OnlyNew}} {
		if len(side.ids) > 0 {
			notes = append(notes, side.name+strings.Join(side.ids, ", "))
		}
	}
	return notes
}

// changes says how many of some things changed.
func changes(n, of int, noun, rule string) string {
	switch {
	case of == 0:
		return "There is no " + noun + " that both have."
	case n == 0:
		return fmt.Sprintf("Nothing changed%s, in %s.", rule, words.Plural(of, noun))
	default:
		return fmt.Sprintf("%d of %s changed%s.", n, words.Plural(of, noun), rule)
	}
}

// sameOrChanged is the verdict on what has no direction.
func sameOrChanged(changed bool) string {
	if changed {
		return "changed"
	}
	return string(diff.Same)
}

// verificationChanges shows the clocks of which another thing is said.
func verificationChanges(v *diff.Verification) table.Block {
	p := table.Block{Title: "Whether clocks can be trusted"}
	if v.OnlyIn != "" {
		p.Verdict = absent(v.Coverage)
		return p
	}
	g := table.Grid{Title: p.Title, Texts: 3, Header: []string{"Clock", "old", "new"}}
	for _, c := range v.Verdicts {
		if c.Changed {
			g.Rows = append(g.Rows, []string{c.Clock, withFaults(c.Old, c.OldFaults), withFaults(c.New, c.NewFaults)})
		}
	}
	p.Grids = []table.Grid{g}
	for _, r := range v.Relations {
		if r.Changed() {
			p.Faults = append(p.Faults, fmt.Sprintf("%s against %s: the distance was %s in the old, %s in the new.", r.Clock, r.Against, keptOrStepped(r.OldHeld), keptOrStepped(r.NewHeld)))
		}
	}
	p.Notes = onlyNotes(v.Coverage)
	p.Verdict = changes(len(g.Rows), len(v.Verdicts), "verdict", "")
	return p
}

func withFaults(verdict string, faults []string) string {
	if len(faults) == 0 {
		return verdict
	}
	return verdict + " (" + strings.Join(faults, ", ") + ")"
}

func keptOrStepped(held bool) string {
	if held {
		return "kept"
	}
	return "stepped"
}

// skewChanges shows the worst offset of each clock.
func skewChanges(s *diff.Skew) table.Block {
	p := table.Block{Title: "How far the CPUs are apart at worst"}
	if s.OnlyIn != "" {
		p.Verdict = absent(s.Coverage)
		return p
	}
	g := table.Grid{Title: p.Title, Header: []string{"Clock", "old", "CPUs", "new", "CPUs", "verdict"}}
	changed := 0
	for _, c := range s.Offsets {
		if c.Changed {
			changed++
		}
		g.Rows = append(g.Rows, []string{
			c.Clock, words.BoundedNS(c.OldNS, c.OldBoundNS), fmt.Sprintf("%d, %d", c.OldCPU, c.OldOtherCPU),
			words.BoundedNS(c.NewNS, c.NewBoundNS), fmt.Sprintf("%d, %d", c.NewCPU, c.NewOtherCPU), sameOrChanged(c.Changed),
		})
	}
	p.Grids = []table.Grid{g}
	p.Notes = onlyNotes(s.Coverage)
	p.Verdict = changes(changed, len(s.Offsets), "worst offset", " beyond both bounds")
	return p
}

// driftChanges shows the rates.
func driftChanges(t *diff.Drift) table.Block {
	p := table.Block{Title: "How fast the clocks run"}
	if t.OnlyIn != "" {
		p.Verdict = absent(t.Coverage)
		return p
	}
	if t.OldReference != t.NewReference {
		p.Verdict = fmt.Sprintf("The rates cannot be compared: the old are against %s, the new against %s.", t.OldReference, t.NewReference)
		return p
	}
	p.Title += " against " + t.OldReference + ", in millionths (ppm)"
	g := table.Grid{Title: p.Title, Texts: 2, Header: []string{"Clock", "while", "old", "new", "verdict"}}
	changed, restated, unstated := 0, false, false
	for _, r := range t.Rates {
		if r.Changed {
			changed++
		}
		name := r.Clock
		if !r.SameNominal && r.Stated {
			name, restated = name+" *", true
		}
		unstated = unstated || !r.Stated
		g.Rows = append(g.Rows, []string{name, r.Phase, words.Bounded(r.OldPPM, r.OldIntervalPPM), words.Bounded(r.NewPPM, r.NewIntervalPPM), sameOrChanged(r.Changed)})
	}
	if restated {
		g.Note = "* The rate that the clock is stated to have is not the same itself, and the ppm are of it. "
	}
	if unstated {
		g.Note += "Without a stated rate the ppm are of the old one."
	}
	p.Grids = []table.Grid{g}
	p.Notes = onlyNotes(t.Coverage)
	p.Verdict = changes(changed, len(t.Rates), "rate", " by more than the intervals")
	return p
}

// diffPartHeader are the columns that the CSV of a diff has after those of the costs,
// where a document holds parts beside costs.
var diffPartHeader = []string{"part", "what", "old", "old_bound", "new", "new_bound", "unit"}

// diffPartLines are the parts as lines under diffHeader and diffPartHeader.
func diffPartLines(d *diff.Diff) [][]string {
	var lines [][]string
	add := func(clock string, changed bool, cells ...string) {
		costs := make([]string, len(diffHeader))
		costs[0], costs[len(costs)-1] = clock, sameOrChanged(changed)
		lines = append(lines, append(costs, cells...))
	}
	if v := d.Verification; v != nil {
		for _, c := range v.Verdicts {
			add(c.Clock, c.Changed, "verification", "verdict", withFaults(c.Old, c.OldFaults), "", withFaults(c.New, c.NewFaults), "", "")
		}
		for _, r := range v.Relations {
			add(r.Clock, r.Changed(), "verification", "distance from "+r.Against, keptOrStepped(r.OldHeld), "", keptOrStepped(r.NewHeld), "", "")
		}
	}
	if s := d.Skew; s != nil {
		for _, c := range s.Offsets {
			add(c.Clock, c.Changed, "skew", "worst offset", words.Number(c.OldNS), words.Number(c.OldBoundNS), words.Number(c.NewNS), words.Number(c.NewBoundNS), "ns")
		}
	}
	if t := d.Drift; t != nil {
		for _, r := range t.Rates {
			add(r.Clock, r.Changed, "drift", r.Phase, words.Number(r.OldPPM), words.Number(r.OldIntervalPPM), words.Number(r.NewPPM), words.Number(r.NewIntervalPPM), "ppm")
		}
	}
	return lines
}

// hasParts reports whether either document holds parts beside costs.
func hasParts(d *diff.Diff) bool { return d.Verification != nil || d.Skew != nil || d.Drift != nil }

// diffSummary is what a page says beneath its heading.
func diffSummary(d *diff.Diff) string {
	if d.Comparisons == 0 && d.PartsCompared() > 0 {
		changed := 0
		for _, line := range diffPartLines(d) {
			if line[len(diffHeader)-1] == sameOrChanged(true) {
				changed++
			}
		}
		return fmt.Sprintf("%d of %d verdicts, distances, offsets and rates changed.", changed, d.PartsCompared())
	}
	return conclusion(d)
}
