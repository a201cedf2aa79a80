package skew

import (
	"fmt"
	"math"
	"slices"

	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/internal/show/words"
)

// changesOf returns what changed between two documents.
func changesOf(old, new *Skew) section.Comparison {
	changes := changed(old, new)
	all := section.Comparison{Value: changes, Block: block(changes)}
	for _, c := range changes.Offsets {
		all.Changes = append(all.Changes, section.Change{
			Clock: c.Clock, What: "worst offset", Old: words.Number(c.OldNS), OldBound: words.Number(c.OldBoundNS),
			New: words.Number(c.NewNS), NewBound: words.Number(c.NewBoundNS), Unit: "ns", Changed: c.Changed,
		})
	}
	return all
}

// Changes are the changes of the skew between CPUs.
type Changes struct {
	section.Coverage
	// Offsets has an entry for each clock that was compared in both documents.
	Offsets []Change `json:"offsets"`
}

// A Change is the worst offset of a clock in both documents: that of the two CPUs with the
// largest offset after the error bound is subtracted.
type Change struct {
	Clock       string  `json:"clock"`
	OldCPU      int     `json:"old_cpu"`
	OldOtherCPU int     `json:"old_other_cpu"`
	OldNS       float64 `json:"old_offset_ns"`
	OldBoundNS  float64 `json:"old_bound_ns"`
	NewCPU      int     `json:"new_cpu"`
	NewOtherCPU int     `json:"new_other_cpu"`
	NewNS       float64 `json:"new_offset_ns"`
	NewBoundNS  float64 `json:"new_bound_ns"`
	// Changed is whether the offsets differ by more than the sum of both bounds.
	Changed bool `json:"changed"`
}

// changed compares two sections; either may be nil.
func changed(old, new *Skew) *Changes {
	s := &Changes{Coverage: section.Covered(old != nil, new != nil), Offsets: []Change{}}
	if s.OnlyIn != "" {
		return s
	}
	compared := func(clocks []SkewedClock) []SkewedClock {
		return slices.DeleteFunc(slices.Clone(clocks), func(c SkewedClock) bool { return len(c.Pairs) == 0 })
	}
	s.OnlyOld, s.OnlyNew = section.Match(compared(old.Clocks), compared(new.Clocks), func(c SkewedClock) string { return c.ID }, func(old, new SkewedClock) {
		o, n := worst(old.Pairs), worst(new.Pairs)
		change := math.Abs(n.OffsetNS) - math.Abs(o.OffsetNS)
		if o.CPU == n.CPU && o.OtherCPU == n.OtherCPU {
			change = n.OffsetNS - o.OffsetNS // also detects a change of sign
		}
		s.Offsets = append(s.Offsets, Change{
			old.ID, o.CPU, o.OtherCPU, o.OffsetNS, o.BoundNS, n.CPU, n.OtherCPU, n.OffsetNS, n.BoundNS,
			math.Abs(change) > o.BoundNS+n.BoundNS,
		})
	})
	return s
}

// worst returns the pair with the largest offset after the error bound is subtracted.
func worst(pairs []CPUPair) CPUPair {
	certain := func(p CPUPair) float64 { return math.Abs(p.OffsetNS) - p.BoundNS }
	most := pairs[0]
	for _, p := range pairs[1:] {
		if certain(p) > certain(most) {
			most = p
		}
	}
	return most
}

// block returns the table of the worst offset of each clock.
func block(s *Changes) table.Block {
	p := table.Block{Title: "Largest skew between CPUs"}
	if s.OnlyIn != "" {
		p.Verdict = s.Absent()
		return p
	}
	g := table.Grid{Title: p.Title, Header: []string{"Clock", "old", "CPUs", "new", "CPUs", "verdict"}, Spare: []int{4, 2}}
	changed := 0
	for _, c := range s.Offsets {
		if c.Changed {
			changed++
		}
		g.Rows = append(g.Rows, []string{
			c.Clock, words.BoundedNS(c.OldNS, c.OldBoundNS), fmt.Sprintf("%d, %d", c.OldCPU, c.OldOtherCPU),
			words.BoundedNS(c.NewNS, c.NewBoundNS), fmt.Sprintf("%d, %d", c.NewCPU, c.NewOtherCPU), section.SameOrChanged(c.Changed),
		})
	}
	p.Grids = []table.Grid{g}
	p.Notes = s.Notes()
	p.Verdict = section.Verdict(changed, len(s.Offsets), "worst offset", " by more than both bounds")
	return p
}
