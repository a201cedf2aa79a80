package verify

import (
	"math"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
)

// A bracketing is the result of one thread's brackets between two reads of the twin.
type bracketing struct {
	outside  finding
	tightest observe.Tightest
}

// bracket has every CPU read the clock between two reads of its twin, which is the same clock
// by another path and has the same ticks.
func (b *bench) bracket(span time.Duration, twin clock.Clock) {
	// readsPerCheck is the number of brackets between two calls of Over.
	const readsPerCheck = 64
	if twin.Hz != b.clock.Hz || clock.Readable(twin) != nil {
		return
	}
	found := make([]bracketing, len(b.cpus)) // by seat
	// A value is rounded down to a unit; that of a coarse clock, to its resolution.
	unit := max(b.ns(1), b.clock.ReportedNS())
	var own, theirs float64
	_ = clock.Use(b.clock, func(clock.Reader) { own, theirs = stated(b.clock), stated(twin) })
	seats := b.run(span, func(s *observe.Seat) {
		second, err := twin.Open()
		if err != nil {
			return
		}
		before, value, after := make([]int64, 1), make([]int64, 1), make([]int64, 1)
		var now bracketing
		for {
			for range readsPerCheck {
				low, v, high := clock.ReadBehind(second, before), clock.ReadBehind(s.Reader, value), clock.ReadBehind(second, after)
				if !now.tightest.Take(observe.Bracket{Low: low, Value: v, High: high}) {
					continue // the twin went back, as a wall clock does when it is set
				}
				if outside := max(low-v, v-high); outside > 0 && clock.Failure(s.Reader) == nil && clock.Failure(second) == nil {
					now.outside.saw(b.ns(outside))
				}
			}
			over := s.Over()
			if s.Sound() {
				found[s.Index] = now
			}
			if over {
				return
			}
		}
	})
	r := &Bracket{Against: twin.ID, ResolutionNS: own, AgainstResolutionNS: theirs}
	var tightest observe.Tightest
	for _, s := range seats {
		b.found(FaultOutside, found[s.Index].outside, s.CPU)
		tightest.Join(found[s.Index].tightest)
	}
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
