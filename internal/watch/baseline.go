package watch

import (
	"slices"

	"github.com/timebench/timebench/internal/instrument/stats"
)

const (
	// minHistory is how many turns must have been seen before a cost can change, and maxHistory how many are
	// remembered: those of twenty minutes, by default.
	minHistory, maxHistory = 3, 40
	// minFactor is the smallest change of a cost. A busy program on the same core makes reads up to twice
	// as slow, and so do programs that read the same timer of the mainboard; a clock that traps to the hypervisor
	// or enters the kernel is ten times as slow.
	minFactor = 2.0
	// margin is how far beyond all earlier turns a change must be.
	margin = 1.1
	// confirming is how many turns in a row must show a change: of one turn, all slices can be disturbed.
	confirming = 3
)

// A baseline is what a read of one clock used to cost, in quiet ns/read.
type baseline struct {
	costs, floors []float64 // of the turns; a floor is 0 if it is unknown
	// beyond are the turns since the cost left the baseline.
	beyond []float64
	slower bool // the direction of beyond
}

// next adds a turn. If its cost and those of the turns before it are a change, it returns the old and the new
// cost, and the new one becomes the baseline.
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

// outside returns whether a cost is beyond the noise of the baseline, and to which side. What the empty call
// became slower or faster by, the CPU did.
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
