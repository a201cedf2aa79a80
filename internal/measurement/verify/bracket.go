package verify

import (
	"math"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
)

// A bracketing is the result of a thread's brackets between two reads of the other path.
type bracketing struct {
	outside  finding
	tightest observe.Tightest
}

// bracket reads the clock between two reads of the same clock by another path, which has the same ticks.
func (b *bench) bracket(s *observe.Member) {
	// readsPerCheck is the number of brackets between two calls of Over.
	const readsPerCheck = 16
	second, err := clock.Ready(*b.otherPath)
	if err != nil {
		return
	}
	before, value, after := make([]int64, 1), make([]int64, 1), make([]int64, 1)
	var now bracketing
	for {
		for range readsPerCheck {
			low, v, high := clock.ReadBehind(second, before), clock.ReadBehind(s.Reader, value), clock.ReadBehind(second, after)
			if !now.tightest.Take(observe.Bracket{Low: low, Value: v, High: high}) {
				continue // the other path went back, as a wall clock does when it is set
			}
			if outside := max(low-v, v-high); outside > 0 && clock.Failure(s.Reader) == nil && clock.Failure(second) == nil {
				now.outside.saw(b.ns(outside))
			}
		}
		over := s.Over()
		if s.Sound() {
			b.parts[s.Index].bracketing = now
		}
		if over {
			return
		}
	}
}

// bracketed fills in the result from the brackets of the threads.
func (b *bench) bracketed(members []*observe.Member) {
	// A value is rounded down to a unit; the value of a coarse clock, to its resolution.
	unit := max(b.ns(1), b.clock.ReportedNS())
	own, theirs := stated(b.clock), stated(*b.otherPath)
	r := &Bracket{Against: b.otherPath.ID, ResolutionNS: own, AgainstResolutionNS: theirs}
	var tightest observe.Tightest
	var outside finding
	for _, s := range members {
		of := &b.parts[s.Index].bracketing
		outside.join(of.outside, s.CPU)
		tightest.Join(of.tightest)
	}
	b.found(FaultOutside, outside)
	r.Brackets = tightest.Brackets
	r.OffsetNS, r.BoundNS = tightest.OffsetNS(b.nsPerTick, unit)
	if r.Brackets == 0 {
		return
	}
	b.into.Bracket = r
	if own > 0 && theirs > 0 && own != theirs {
		b.fault(ClockFault{Kind: FaultResolution, Count: 1, WorstNS: math.Abs(own - theirs)})
	}
}

func stated(c clock.Clock) float64 {
	if c.PathResolutionNS == nil {
		return 0
	}
	return c.PathResolutionNS()
}
