package verify

import (
	"math"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/observe"
)

const (
	// batchNS is about how long a batch of reads takes, between two looks at the witness
	// and at whether the thread is where it should be.
	batchNS = 20_000
	// mostBatch is the most reads of a batch.
	mostBatch = 1024
	// leastJumpNS is the least step that counts as a jump where the witness has no room
	// for it, and slack the part of the witness's span that is room too: clocks that are
	// being slewed run up to a tenth faster (adjtimex(2), tick).
	leastJumpNS, slack = 10_000, 1.0 / 8
	// leastStallNS and manyTicks are for how long the value of a fine clock must stand to
	// be a stall, and coarseStallNS, with as many ticks, that of a coarse one.
	leastStallNS, manyTicks, coarseStallNS = 100_000, 100, 1e9
	// coarseNS is from which tick on a clock is coarse that does not say so.
	coarseNS = 100_000
)

// A finding is how often something was seen, and the worst of it.
type finding struct {
	count   int64
	worstNS float64
}

func (f *finding) saw(ns float64) {
	f.count++
	f.worstNS = max(f.worstNS, ns)
}

// found makes a fault of what a thread saw, if it saw any.
func (b *bench) found(kind string, f finding, cpu int) {
	if f.count > 0 {
		b.fault(ClockFault{Kind: kind, Count: f.count, WorstNS: f.worstNS, CPU: number(cpu)})
	}
}

// A watch is what one thread saw of the clock. It is a plain value: a copy is what was
// seen by then.
type watch struct {
	steps             observe.Steps
	jumps, stalls     finding
	stoodNS           float64
	previous          int64 // the last value of the batch before
	before            span  // of the batch before
	standsSince       span  // of the first batch that ended with the previous value
	standing, counted bool
}

// A pace is what is known of a clock before it is watched.
type pace struct {
	batch  int     // reads
	tickNS float64 // how far apart its values lie; 0 where they do not repeat
	// coarse says that the clock ticks by an interrupt, which may come late: how it steps
	// and for how long it stands says nothing.
	coarse bool
	// stood says that it was not seen to tick at all.
	stood bool
}

// alone has every CPU read the clock as fast as it can.
func (b *bench) alone(span time.Duration, w *witness) {
	watches := make([]watch, len(b.cpus))
	p := b.pace(span / 4)
	if w != nil {
		b.into.Witness = w.clock.ID
	}
	seats := b.run(span, func(s *observe.Seat) {
		ticks := make([]int64, p.batch)
		var second clock.Reader
		if w != nil {
			// One that cannot be opened is no witness.
			second, _ = w.clock.Open()
		}
		before, after := make([]int64, 1), make([]int64, 1)
		for seen := (watch{}); ; {
			if second == nil {
				s.Reader.Read(ticks)
				seen.steps.See(ticks, false)
			} else {
				clock.ReadBehind(second, before)
				s.Reader.Read(ticks)
				clock.ReadBehind(second, after)
				seen.steps.See(ticks, false)
				seen.judge(b, ticks, p, w.span(before[0], after[0]))
			}
			seen.previous = ticks[p.batch-1]
			over := s.Over()
			if s.Sound() {
				watches[s.Index] = seen
			}
			if over {
				return
			}
		}
	})
	tickTicks := int64(math.MaxInt64)
	for _, s := range seats {
		seen := watches[s.Index]
		b.into.Reads += seen.steps.Pairs
		b.into.Repeats += seen.steps.Repeats
		b.into.StoodNS = max(b.into.StoodNS, seen.stoodNS)
		if seen.steps.Smallest > 0 {
			tickTicks = min(tickTicks, seen.steps.Smallest)
		}
		b.wentBack = b.wentBack || seen.steps.Backwards > 0
		b.found(FaultBackwards, finding{seen.steps.Backwards, b.ns(seen.steps.Farthest)}, s.CPU)
		b.found(FaultJump, seen.jumps, s.CPU)
		b.found(FaultStall, seen.stalls, s.CPU)
	}
	if tickTicks < math.MaxInt64 {
		b.into.TickNS = b.ns(tickTicks)
	}
	// It was never seen to tick, and does not say that it ticks so seldom.
	stood := b.into.StoodNS
	if p.stood && !b.clock.Coarse && b.into.Reads > 0 && b.into.Repeats == b.into.Reads && stood > leastStallNS+manyTicks*p.tickNS {
		b.found(FaultStall, finding{1, stood}, seats[0].CPU)
	}
}

// pace finds out what is to be known beforehand. A clock that does not tick for as long
// as the patience is taken for coarse, with the tick that it states.
func (b *bench) pace(patience time.Duration) pace {
	const longest = 200 * time.Millisecond
	p := pace{batch: 1, coarse: b.clock.Coarse}
	// The clock was read before; one that no longer can be has a batch of 1.
	_ = clock.Use(b.clock, func(reader clock.Reader) {
		ticks := make([]int64, mostBatch)
		for took := time.Duration(0); took < batchNS && p.batch < mostBatch; {
			p.batch *= 2
			took = time.Hour
			for range 3 { // the fastest was not interrupted
				start := observe.Now()
				reader.Read(ticks[:p.batch])
				took = min(took, time.Duration(observe.Now()-start))
			}
		}
		step, moved := observe.Step(reader, b.nsPerTick, min(patience, longest))
		if p.tickNS, p.stood = step, !moved; p.stood {
			p.tickNS = max(b.nsPerTick, b.clock.ReportedNS())
		}
	})
	p.coarse = p.coarse || p.stood || p.tickNS >= coarseNS
	return p
}

// judge holds a batch against the witness: the clock has no room for a larger step than
// the time around it, and may not stand still beyond that.
func (w *watch) judge(b *bench, ticks []int64, p pace, now span) {
	first, last := ticks[0], ticks[len(ticks)-1]
	step := func(from, to int64, room float64) {
		if went := b.ns(to - from); !p.coarse && went > room*(1+slack)+p.tickNS+leastJumpNS {
			w.jumps.saw(went - room)
		}
	}
	step(first, last, now.most(now))
	if w.standing {
		step(w.previous, first, now.most(w.before)) // between the batches
	}
	w.before = now
	// The value stood from when it was certainly read to when it was certainly still read.
	// That is from the end of the first batch that ended with it to the beginning of the
	// last one that begins with it.
	if w.standing && first == w.previous {
		stood := now.least(w.standsSince)
		w.stoodNS = max(w.stoodNS, stood)
		if stood > p.longestStand() {
			if !w.counted {
				w.stalls.count++
				w.counted = true
			}
			w.stalls.worstNS = max(w.stalls.worstNS, stood)
		}
	}
	if !w.standing || first != w.previous || last != first {
		w.standsSince, w.standing, w.counted = now, true, false
	}
}

// longestStand is for how many nanoseconds a value may stand.
func (p pace) longestStand() float64 {
	if p.coarse {
		return coarseStallNS + manyTicks*p.tickNS
	}
	return max(leastStallNS, manyTicks*p.tickNS)
}
