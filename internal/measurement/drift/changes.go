package drift

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
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
	unknown := false // whether a clock has no nominal rate
	all.OnlyOld, all.OnlyNew = section.Match(rated(old.Clocks), rated(new.Clocks),
		func(c DriftedClock) string { return c.ID }, func(old, new DriftedClock) {
			unknown = unknown || old.NominalHz == 0
			for _, phase := range []struct {
				name     string
				old, new *DriftRate
			}{{"idle", old.Idle, new.Idle}, {"loaded", old.Loaded, new.Loaded}} {
				if phase.old == nil || phase.new == nil || phase.old.Hz == 0 {
					continue
				}
				o, n := values(old.NominalHz, phase.old, phase.new)
				all.Add(section.Change{Subject: old.ID, What: phase.name, Old: o, New: n, Unit: "ppm"},
					math.Abs(n.Number()-o.Number()) > o.Bound+n.Bound)
			}
		})
	c.Block = all.Block(changesTitle+" against "+old.Reference+", in ppm", "rate", " by more than both intervals",
		section.Columns("Clock", "while",
			section.Part{Cell: func(v section.Value) string { return words.Bounded(v.Number(), v.Bound) }}))
	if unknown {
		c.Block.Grids[0].Note = "Without a nominal rate, the ppm refer to the old rate."
	}
	return c
}

const changesTitle = "Rates"

// values returns two rates in ppm of the old nominal rate, or else of the old rate. Linux may assume another nominal
// rate of the time stamp counter after each boot.
func values(nominalHz float64, old, new *DriftRate) (o, n section.Value) {
	of := cmp.Or(nominalHz, old.Hz)
	in := func(r *DriftRate) section.Value {
		return section.Value{Value: (r.Hz/of - 1) * 1e6, Bound: r.IntervalPPM}
	}
	return in(old), in(new)
}
