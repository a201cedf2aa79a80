package verify

import (
	"math"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/measure"
	"github.com/timebench/timebench/internal/result"
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
	// be a stall. One that ticks less often than every coarse nanoseconds is not
	// fine: when it ticks is up to an interrupt, which may come late.
	leastStallNS, manyTicks, coarse = 100_000, 100, 100_000
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
		b.fault(result.ClockFault{Kind: kind, Count: f.count, WorstNS: f.worstNS, CPU: number(cpu)})
	}
}

// A watch is what one thread saw of the clock. It is a plain value: a copy is what was
// seen by then.
type watch struct {
	reads, repeats    int64
	backwards, jumps  finding
	stalls            finding
	stoodNS           float64
	tickTicks         int64 // the smallest step between values that differ; 0 before
	previous          int64 // the last value of the batch before
	any               bool  // whether there was one
	standsSince       int64 // the witness's value when the previous one was known to be read
	before            int64 // the witness's value before the previous batch
	standing, counted bool
}

// alone has every CPU read the clock as fast as it can.
func (b *bench) alone(span time.Duration, w *witness) {
	watches := make([]watch, len(b.cpus))
	batch, tick := b.batch()
	if w != nil {
		b.into.Witness = w.clock.ID
	}
	seats := b.run(span, func(s *seat) {
		ticks := make([]int64, batch)
		now := &watches[s.index]
		var second clock.Reader
		if w != nil {
			if second, s.err = w.clock.Open(); s.err != nil {
				return
			}
		}
		before, after := make([]int64, 1), make([]int64, 1)
		for seen := *now; ; {
			if second == nil {
				s.reader.Read(ticks)
				seen.order(b, ticks)
			} else {
				clock.ReadBehind(second, before)
				s.reader.Read(ticks)
				clock.ReadBehind(second, after)
				seen.order(b, ticks)
				seen.judge(b, ticks, before[0], after[0], w.nsPerTick, tick)
			}
			seen.previous = ticks[batch-1]
			over := s.over()
			if s.err == nil && !s.lost {
				*now = seen
			}
			if over {
				return
			}
		}
	})
	tickTicks := int64(math.MaxInt64)
	for i, s := range seats {
		seen := watches[i]
		b.into.Reads += seen.reads
		b.into.Repeats += seen.repeats
		b.into.StoodNS = max(b.into.StoodNS, seen.stoodNS)
		if seen.tickTicks > 0 {
			tickTicks = min(tickTicks, seen.tickTicks)
		}
		b.found(result.FaultBackwards, seen.backwards, s.cpu)
		b.found(result.FaultJump, seen.jumps, s.cpu)
		b.found(result.FaultStall, seen.stalls, s.cpu)
	}
	if tickTicks < math.MaxInt64 {
		b.into.TickNS = b.ns(tickTicks)
	}
}

// batch is how many reads make a batch, and how far apart in nanoseconds the clock's
// values lie; 0 where they do not repeat.
func (b *bench) batch() (reads int, tickNS float64) {
	reads, tickNS = 1, 0
	// The clock was opened before; one that no longer can be has a batch of 1.
	_ = clock.Use(b.clock, func(reader clock.Reader) {
		ticks := make([]int64, mostBatch)
		for took := time.Duration(0); took < batchNS && reads < mostBatch; {
			reads *= 2
			took = time.Hour
			for range 3 { // the fastest was not interrupted
				start := measure.Stopwatch()
				reader.Read(ticks[:reads])
				took = min(took, time.Duration(measure.Stopwatch()-start))
			}
		}
		tickNS = b.step(reader)
	})
	return reads, tickNS
}

// step is the clock's largest step of a few from one value to the next that differs, in
// nanoseconds; 0 where nearly every value differs from the one before, and how
// long was waited where none did.
func (b *bench) step(reader clock.Reader) float64 {
	const few, patience = 10, 200 * time.Millisecond
	steps, largest := 0, 0.0
	value := make([]int64, 1)
	reader.Read(value)
	last, repeats := value[0], 0
	for end := measure.Stopwatch() + int64(patience); steps < few && measure.Stopwatch() < end; {
		if reader.Read(value); value[0] == last {
			repeats++
			continue
		}
		steps++
		largest = max(largest, math.Abs(b.ns(value[0]-last)))
		last = value[0]
	}
	switch {
	case steps == 0:
		return float64(patience)
	case repeats < steps:
		return 0
	}
	return largest
}

// order counts the reads of a batch, those that repeat a value, and those that are below
// the one before.
func (w *watch) order(b *bench, ticks []int64) {
	previous, rest := w.previous, ticks
	if !w.any {
		previous, rest, w.any = ticks[0], ticks[1:], true
	}
	w.reads += int64(len(rest))
	for _, tick := range rest {
		switch step := tick - previous; {
		case step == 0:
			w.repeats++
		case step < 0:
			w.backwards.saw(b.ns(-step))
		case w.tickTicks == 0 || step < w.tickTicks:
			w.tickTicks = step
		}
		previous = tick
	}
}

// judge holds a batch against the witness's values before and after it: the clock has no
// room for a larger step than theirs, and may not stand still beyond them.
func (w *watch) judge(b *bench, ticks []int64, before, after int64, witnessNS, tickNS float64) {
	first, last := ticks[0], ticks[len(ticks)-1]
	step := func(from, to, since int64) {
		room := float64(after-since) * witnessNS
		if went := b.ns(to - from); went > room*(1+slack)+leastJumpNS+manyTicks*tickNS {
			w.jumps.saw(went - room)
		}
	}
	step(first, last, before)
	if w.standing {
		step(w.previous, first, w.before) // between the batches
	}
	w.before = before
	// The value stood from when it was certainly read to when it was certainly still read.
	// That is from the end of the first batch that ended with it to the beginning of the
	// last one that begins with it.
	if w.standing && first == w.previous {
		stood := float64(before-w.standsSince) * witnessNS
		w.stoodNS = max(w.stoodNS, stood)
		if tickNS < coarse && stood > max(leastStallNS, manyTicks*tickNS) {
			if !w.counted {
				w.stalls.count++
				w.counted = true
			}
			w.stalls.worstNS = max(w.stalls.worstNS, stood)
		}
	}
	if !w.standing || first != w.previous || last != first {
		w.standsSince, w.standing, w.counted = after, true, false
	}
}
