package skew

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/show/words"
)

// changesOf returns what changed between two documents: the worst offset of each clock, between the two CPUs with the
// largest offset after the error bound is subtracted.
func changesOf(old, new *Skew) section.Comparison {
	all := &section.Changes{}
	compared := func(clocks []SkewedClock) []SkewedClock {
		return slices.DeleteFunc(slices.Clone(clocks), func(c SkewedClock) bool { return len(c.Pairs) == 0 })
	}
	all.OnlyOld, all.OnlyNew = section.Match(compared(old.Clocks), compared(new.Clocks),
		func(c SkewedClock) string { return c.ID }, func(old, new SkewedClock) {
			o, n := worst(old.Pairs), worst(new.Pairs)
			change := math.Abs(n.OffsetNS) - math.Abs(o.OffsetNS)
			if o.CPU == n.CPU && o.OtherCPU == n.OtherCPU {
				change = n.OffsetNS - o.OffsetNS // also detects a change of sign
			}
			all.Add(section.Change{Subject: old.ID, What: "worst offset", Old: o.value(), New: n.value(), Unit: "ns"},
				math.Abs(change) > o.BoundNS+n.BoundNS)
		})
	return section.Comparison{Value: all, Block: all.Block(changesTitle, "worst offset", " by more than both bounds",
		section.Columns("Clock", "",
			section.Part{Cell: func(v section.Value) string { return words.BoundedNS(v.Number(), v.Bound) }},
			section.Part{Name: "CPUs", Spare: 2, Cell: func(v section.Value) string { return v.Detail }}))}
}

const changesTitle = "Largest skew between CPUs"

func (p CPUPair) value() section.Value {
	return section.Value{Value: p.OffsetNS, Bound: p.BoundNS, Detail: fmt.Sprintf("%d, %d", p.CPU, p.OtherCPU)}
}

// worst returns the pair with the largest offset after the error bound is subtracted.
func worst(pairs []CPUPair) CPUPair {
	return slices.MaxFunc(pairs, func(a, b CPUPair) int { return cmp.Compare(a.excessNS(), b.excessNS()) })
}
