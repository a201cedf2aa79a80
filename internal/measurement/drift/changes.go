package drift

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

// The units of a rate in both documents: of the nominal rate, and without one of the old rate, which is then 0.
const (
	ofNominal = "ppm"
	ofOld     = "ppm of the old rate"
)

// changesOf returns what changed between two documents. Only rates against the same reference are compared.
func changesOf(old, new *Drift) section.Comparison {
	all := &section.Changes{}
	c := section.Comparison{Value: all}
	if old.Reference != new.Reference {
		c.Block = table.Block{Title: changesTitle,
			Verdict: fmt.Sprintf("The rates cannot be compared: the old reference is %s, the new one %s.",
				old.Reference, new.Reference)}
		c.Settings = []section.Difference{{What: "Reference of drift", Old: old.Reference, New: new.Reference}}
		return c
	}
	rated := func(clocks []DriftedClock) []DriftedClock {
		return slices.DeleteFunc(slices.Clone(clocks),
			func(c DriftedClock) bool { return c.Idle == nil && c.Loaded == nil })
	}
	all.OnlyOld, all.OnlyNew = section.Match(rated(old.Clocks), rated(new.Clocks),
		func(c DriftedClock) string { return c.ID }, func(old, new DriftedClock) {
			for _, phase := range []struct {
				name     string
				old, new *DriftRate
			}{{"idle", old.Idle, new.Idle}, {"loaded", old.Loaded, new.Loaded}} {
				if o, n, unit := values(phase.old, phase.new); unit != "" {
					o.Detail, n.Detail = nominalRate(old), nominalRate(new)
					all.Add(section.Change{Subject: old.ID, What: phase.name, Old: o, New: n, Unit: unit},
						math.Abs(n.Number()-o.Number()) > o.Bound+n.Bound)
				}
			}
		})
	c.Block = all.Block(changesTitle+" against "+old.Reference+", in ppm", "rate", " by more than both intervals",
		changeColumns)
	c.Block.Grids[0].Note = noteOf(all.Changes)
	return c
}

var changeColumns = func() []table.Column[section.Change] {
	columns := section.Columns("Clock", "while",
		section.Part{Cell: func(v section.Value) string { return words.Bounded(v.Number(), v.Bound) }})
	columns[0].Text = func(c section.Change) string {
		if restated(c) {
			return c.Subject + " *"
		}
		return c.Subject
	}
	return columns
}()

// restated reports whether the nominal rate of a clock differs between the documents.
func restated(c section.Change) bool { return c.Unit == ofNominal && c.Old.Detail != c.New.Detail }

const changesTitle = "Rates"

// nominalRate returns the nominal rate, if the clock has one. Linux may assume another rate for the time stamp
// counter after each boot, which may be the cause of a change.
func nominalRate(c DriftedClock) string {
	if c.NominalHz == 0 {
		return ""
	}
	return "nominal " + words.Number(c.NominalHz) + " Hz"
}

// values returns two rates with their unit; "" if one is missing.
func values(old, new *DriftRate) (o, n section.Value, unit string) {
	switch {
	case old == nil || new == nil:
	case old.PPM != nil && new.PPM != nil:
		o.Value, n.Value, unit = *old.PPM, *new.PPM, ofNominal
	case old.Hz > 0 && new.Hz > 0:
		o.Value, n.Value, unit = 0.0, (new.Hz/old.Hz-1)*1e6, ofOld
	}
	if unit != "" {
		o.Bound, n.Bound = old.IntervalPPM, new.IntervalPPM
	}
	return o, n, unit
}

// noteOf returns a note on the units of the changes, unless all refer to the same nominal rate.
func noteOf(changes []section.Change) string {
	var notes []string
	if slices.ContainsFunc(changes, restated) {
		notes = append(notes, "* The nominal rate, to which the ppm refer, differs between the runs.")
	}
	if slices.ContainsFunc(changes, func(c section.Change) bool { return c.Unit == ofOld }) {
		notes = append(notes, "Without a nominal rate, the ppm refer to the old rate.")
	}
	return strings.Join(notes, " ")
}
