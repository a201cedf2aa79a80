package verify

import (
	"math"
	"time"

	"github.com/timebench/timebench/internal/clock"
)

// A bracketing is what one thread found between two reads of the twin.
type bracketing struct {
	brackets int64
	outside  finding
	// width is the tightest bracket, and ahead twice by how much the clock was ahead of
	// its middle; in ticks.
	width, ahead int64
}

// bracket has every CPU read the clock between two reads of its twin, which is the same
// clock by another path and has the same ticks.
func (b *bench) bracket(span time.Duration, twin clock.Clock) {
	// looks is how many brackets are made between two looks at whether it is over.
	const looks = 64
	if twin.Hz != b.clock.Hz || clock.Readable(twin) != nil {
		return
	}
	found := make([]bracketing, len(b.cpus)) // by seat
	// A value is the last whole unit; a coarse clock's, of its resolution.
	unit := max(b.ns(1), b.clock.ReportedNS())
	var own, theirs float64
	_ = clock.Use(b.clock, func(clock.Reader) { own, theirs = stated(b.clock), stated(twin) })
	seats := b.run(span, func(s *seat) {
		second, err := twin.Open()
		if err != nil {
			return
		}
		before, value, after := make([]int64, 1), make([]int64, 1), make([]int64, 1)
		now := bracketing{width: math.MaxInt64}
		for {
			for range looks {
				low, v, high := clock.ReadBehind(second, before), clock.ReadBehind(s.reader, value), clock.ReadBehind(second, after)
				width := high - low
				if width < 0 {
					continue // the twin went back, as a wall clock does that is set
				}
				now.brackets++
				if outside := max(low-v, v-high); outside > 0 && clock.Failure(s.reader) == nil && clock.Failure(second) == nil {
					now.outside.saw(b.ns(outside))
				}
				if width < now.width {
					now.width, now.ahead = width, (v-low)-(high-v)
				}
			}
			over := s.over()
			if s.err == nil && !s.lost {
				found[s.index] = now
			}
			if over {
				return
			}
		}
	})
	r := &Bracket{Against: twin.ID, ResolutionNS: own, AgainstResolutionNS: theirs}
	tightest := int64(math.MaxInt64)
	for _, s := range seats {
		f := found[s.index]
		b.found(FaultOutside, f.outside, s.cpu)
		r.Brackets += f.brackets
		if f.brackets > 0 && f.width < tightest {
			tightest = f.width
			r.OffsetNS, r.BoundNS = b.ns(f.ahead)/2, b.ns(f.width)/2+unit
		}
	}
	if tightest == math.MaxInt64 {
		return
	}
	b.into.Bracket = r
	if own > 0 && theirs > 0 && own != theirs {
		b.fault(ClockFault{Kind: FaultResolution, Count: 1, WorstNS: math.Abs(own - theirs)})
	}
}

// stated is the resolution that the clock's own path states; 0 where it states none.
func stated(c clock.Clock) float64 {
	if c.PathResolutionNS == nil {
		return 0
	}
	return c.PathResolutionNS()
}
