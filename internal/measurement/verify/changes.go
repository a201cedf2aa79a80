package verify

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/show/table"
)

// changesOf returns what changed between two documents.
func changesOf(old, new *Verification) section.Comparison {
	changes := changed(old, new)
	all := section.Comparison{Value: changes, Block: block(changes)}
	for _, c := range changes.Verdicts {
		all.Changes = append(all.Changes, section.Change{
			Clock: c.Clock, What: "verdict", Old: withFaults(c.Old, c.OldFaults), New: withFaults(c.New, c.NewFaults), Changed: c.Changed,
		})
	}
	for _, r := range changes.Relations {
		all.Changes = append(all.Changes, section.Change{
			Clock: r.Clock, What: "distance from " + r.Against, Old: keptOrStepped(r.OldHeld), New: keptOrStepped(r.NewHeld), Changed: r.Changed(),
		})
	}
	if old != nil && new != nil {
		all.Settings = section.Differing(
			section.Setting{What: "CPUs verified on", Old: counted(old.CPUs), New: counted(new.CPUs)},
			section.Setting{What: "Verified under load", Old: strconv.FormatBool(old.Load), New: strconv.FormatBool(new.Load)})
	}
	return all
}

// Changes are the changes of the verdicts on clocks and of the relations between them.
type Changes struct {
	section.Coverage
	// Verdicts has an entry for each clock to verify in both documents.
	Verdicts []VerdictChange `json:"verdicts"`
	// Relations has an entry for each pair of clocks that both documents compare.
	Relations []RelationChange `json:"relations,omitempty"`
}

// A VerdictChange is the verdict on a clock in both documents.
type VerdictChange struct {
	Clock string `json:"clock"`
	Old   string `json:"old"`
	New   string `json:"new"`
	// OldFaults and NewFaults are the kinds of the faults.
	OldFaults []string `json:"old_faults,omitempty"`
	NewFaults []string `json:"new_faults,omitempty"`
	// Changed is whether the verdict or the faults differ.
	Changed bool `json:"changed"`
}

// A RelationChange is whether two clocks kept their distance in each document.
type RelationChange struct {
	Clock   string `json:"clock"`
	Against string `json:"against"`
	OldHeld bool   `json:"old_held"`
	NewHeld bool   `json:"new_held"`
}

// Changed reports whether the distance was kept in one document only.
func (c RelationChange) Changed() bool { return c.OldHeld != c.NewHeld }

// changed compares two sections; either may be nil.
func changed(old, new *Verification) *Changes {
	v := &Changes{Coverage: section.Covered(old != nil, new != nil), Verdicts: []VerdictChange{}}
	if v.OnlyIn != "" {
		return v
	}
	v.OnlyOld, v.OnlyNew = section.Match(old.Clocks, new.Clocks, func(c VerifiedClock) string { return c.ID }, func(old, new VerifiedClock) {
		c := VerdictChange{Clock: old.ID, Old: old.Verdict, New: new.Verdict, OldFaults: kinds(old.Faults), NewFaults: kinds(new.Faults)}
		c.Changed = c.Old != c.New || !slices.Equal(c.OldFaults, c.NewFaults)
		v.Verdicts = append(v.Verdicts, c)
	})
	// A pair that only one run requested is not a change.
	section.Match(old.Relations, new.Relations, func(r Relation) string { return r.Clock + "\x00" + r.Against }, func(old, new Relation) {
		v.Relations = append(v.Relations, RelationChange{old.Clock, old.Against, old.Held, new.Held})
	})
	return v
}

// kinds returns the kinds of the faults, sorted, each once.
func kinds(faults []ClockFault) []string {
	var all []string
	for _, f := range faults {
		all = append(all, f.Kind)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// block returns the clocks whose verdict or faults changed.
func block(v *Changes) table.Block {
	p := table.Block{Title: "Verification"}
	if v.OnlyIn != "" {
		p.Verdict = v.Absent()
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
			p.Faults = append(p.Faults, fmt.Sprintf("%s against %s: the distance was %s in the old run and %s in the new.", r.Clock, r.Against, keptOrStepped(r.OldHeld), keptOrStepped(r.NewHeld)))
		}
	}
	p.Notes = v.Notes()
	p.Verdict = section.Verdict(len(g.Rows), len(v.Verdicts), "verdict", "")
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

func counted(cpus []int) string {
	if len(cpus) == 0 {
		return ""
	}
	return strconv.Itoa(len(cpus))
}
