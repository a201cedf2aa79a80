package watch

import (
	"slices"

	"github.com/timebench/timebench/internal/instrument/stats"
)

const (
	// minHistory is the number of turns before a cost can change, and maxHistory the number that is kept: twenty
	// minutes, by default.
	minHistory, maxHistory = 3, 40
	// minFactor is the smallest change of a cost. A busy program on the same core makes reads up to twice
	// as slow, and so do programs that read the same timer of the mainboard; a clock that traps to the hypervisor
	// or enters the kernel is ten times as slow.
	minFactor = 2.0
	// margin is how far beyond all earlier turns a change must be.
	margin = 1.1
	// confirming is the number of turns in a row that must show a change: other programs can disturb a whole turn.
	confirming = 3
)

// A baseline is the usual cost of a read of a clock, in quiet ns/read.
type baseline struct {
	costs, floors []float64 // of the turns; a floor is 0 if it is unknown
	// beyond are the turns since the cost left the baseline.
	beyond []float64
	slower bool // the direction of beyond
}

// next adds a turn. If its cost confirms a change, next returns the old and the new cost, and the new cost becomes
// the baseline.
func (b *baseline) next(cost, floor float64) (old, new float64, changed bool) {
	outside, slower := b.outside(cost, floor)
	if !outside {
		b.beyond = nil
		b.costs, b.floors = keep(b.costs, cost), keep(b.floors, floor)
		return 0, 0, false
	}
	if slower != b.slower {
		b.beyond = nil
	}
	b.slower = slower
	if b.beyond = append(b.beyond, cost); len(b.beyond) < confirming {
		return 0, 0, false
	}
	old, new = stats.Median(b.costs), stats.Median(b.beyond)
	*b = baseline{costs: b.beyond, floors: slices.Repeat([]float64{floor}, len(b.beyond))}
	return old, new, true
}

func (b *baseline) usual() float64 {
	if b == nil || len(b.costs) == 0 {
		return 0
	}
	return stats.Median(b.costs)
}

// outside returns whether a cost is beyond the noise of the baseline, and to which side. A change of the empty call
// is a change of the CPU's speed.
func (b *baseline) outside(cost, floor float64) (outside, slower bool) {
	if len(b.costs) < minHistory {
		return false, false
	}
	usual := stats.Median(b.costs)
	ratio, ofCPU := cost/usual, 1.0
	if known := stats.Median(b.floors); known > 0 && floor > 0 {
		ofCPU = floor / known
	}
	if ratio > 1 {
		return min(ratio, ratio/ofCPU) >= max(minFactor, margin*slices.Max(b.costs)/usual), true
	}
	return max(ratio, ratio/ofCPU) <= min(1/minFactor, slices.Min(b.costs)/margin/usual), false
}

func keep(history []float64, value float64) []float64 {
	history = append(history, value)
	return history[max(0, len(history)-maxHistory):]
}
