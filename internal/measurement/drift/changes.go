package drift

import (
	"fmt"
	"math"
	"slices"

	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

// changesOf returns what changed between two documents.
func changesOf(old, new *Drift) section.Comparison {
	changes := changed(old, new)
	all := section.Comparison{Value: changes, Block: block(changes)}
	for _, r := range changes.Rates {
		all.Changes = append(all.Changes, section.Change{
			Clock: r.Clock, What: r.Phase, Old: words.Number(r.OldPPM), OldBound: words.Number(r.OldIntervalPPM),
			New: words.Number(r.NewPPM), NewBound: words.Number(r.NewIntervalPPM), Unit: "ppm", Changed: r.Changed,
		})
	}
	return all
}

// Changes are the changes of the rates of clocks.
type Changes struct {
	section.Coverage
	// OldReference and NewReference are the reference clocks. If they differ, no rate is
	// compared.
	OldReference string `json:"old_reference,omitempty"`
	NewReference string `json:"new_reference,omitempty"`
	// Rates has an entry for each clock and phase in both documents.
	Rates []RateChange `json:"rates"`
}

// A RateChange is the rate of a clock in both documents.
type RateChange struct {
	Clock string `json:"clock"`
	// Phase is asleep or loaded.
	Phase string `json:"phase"`
	// Stated is whether the rates are in ppm of the nominal rate. If not, they are in ppm of
	// the old rate, and OldPPM is 0.
	Stated         bool    `json:"stated"`
	OldPPM         float64 `json:"old_ppm"`
	OldIntervalPPM float64 `json:"old_interval_ppm"`
	NewPPM         float64 `json:"new_ppm"`
	NewIntervalPPM float64 `json:"new_interval_ppm"`
	// SameNominal is whether the nominal rates are equal. Linux may assume another rate for
	// the time stamp counter after each boot, which may be the cause of a change.
	SameNominal bool `json:"same_nominal"`
	// Changed is whether the intervals do not overlap.
	Changed bool `json:"changed"`
}

// changed compares two sections; either may be nil.
func changed(old, new *Drift) *Changes {
	d := &Changes{Coverage: section.Covered(old != nil, new != nil), Rates: []RateChange{}}
	if d.OnlyIn != "" {
		return d
	}
	d.OldReference, d.NewReference = old.Reference, new.Reference
	if d.OldReference != d.NewReference {
		return d
	}
	rated := func(clocks []DriftedClock) []DriftedClock {
		return slices.DeleteFunc(slices.Clone(clocks), func(c DriftedClock) bool { return c.Asleep == nil && c.Loaded == nil })
	}
	d.OnlyOld, d.OnlyNew = section.Match(rated(old.Clocks), rated(new.Clocks), func(c DriftedClock) string { return c.ID }, func(old, new DriftedClock) {
		for _, phase := range []struct {
			name     string
			old, new *DriftRate
		}{{"asleep", old.Asleep, new.Asleep}, {"loaded", old.Loaded, new.Loaded}} {
			if change, ok := rateChange(phase.old, phase.new); ok {
				change.Clock, change.Phase, change.SameNominal = old.ID, phase.name, old.NominalHz == new.NominalHz
				d.Rates = append(d.Rates, change)
			}
		}
	})
	return d
}

// rateChange compares two rates; ok is false if one is missing.
func rateChange(old, new *DriftRate) (c RateChange, ok bool) {
	if old == nil || new == nil {
		return c, false
	}
	c.OldIntervalPPM, c.NewIntervalPPM = old.IntervalPPM, new.IntervalPPM
	switch {
	case old.PPM != nil && new.PPM != nil:
		c.Stated, c.OldPPM, c.NewPPM = true, *old.PPM, *new.PPM
	case old.Hz > 0 && new.Hz > 0:
		c.NewPPM = (new.Hz/old.Hz - 1) * 1e6
	default:
		return c, false
	}
	c.Changed = math.Abs(c.NewPPM-c.OldPPM) > c.OldIntervalPPM+c.NewIntervalPPM
	return c, true
}

// block returns the table of the rates.
func block(t *Changes) table.Block {
	p := table.Block{Title: "Rates"}
	if t.OnlyIn != "" {
		p.Verdict = t.Absent()
		return p
	}
	if t.OldReference != t.NewReference {
		p.Verdict = fmt.Sprintf("The rates cannot be compared: the old reference is %s, the new one %s.", t.OldReference, t.NewReference)
		return p
	}
	p.Title += " against " + t.OldReference + ", in ppm"
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
		g.Rows = append(g.Rows, []string{name, r.Phase, words.Bounded(r.OldPPM, r.OldIntervalPPM), words.Bounded(r.NewPPM, r.NewIntervalPPM), section.SameOrChanged(r.Changed)})
	}
	if restated {
		g.Note = "* The nominal rate, to which the ppm refer, differs between the runs. "
	}
	if unstated {
		g.Note += "Without a nominal rate, the ppm refer to the old rate."
	}
	p.Grids = []table.Grid{g}
	p.Notes = t.Notes()
	p.Verdict = section.Verdict(changed, len(t.Rates), "rate", " by more than both intervals")
	return p
}
