package verify

import (
	"math"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
)

const (
	// batchNS is the approximate time of a batch of reads, between two readings of the
	// witness and two checks that the thread is on its CPU.
	batchNS   = 20_000
	mostBatch = 1024
	// leastJumpNS is the min excess of a step over the witness's interval that counts as a jump. slack is the part of that
	// span that is allowed in addition: a clock that is being slewed runs up to a tenth faster (adjtimex(2), tick).
	leastJumpNS, slack = 10_000, 1.0 / 8
	// leastStallNS and manyTicks are the min time, in ns and in ticks, that a fine clock stands still in a stall. The
	// min of a coarse clock is coarseStallNS plus manyTicks.
	leastStallNS, manyTicks, coarseStallNS = 100_000, 100, 1e9
	// coarseNS is the tick from which a clock counts as coarse, even without clock.Clock.Coarse.
	coarseNS = 100_000
)

// A finding is the number of faults of a kind, and the size of the worst fault.
type finding struct {
	count   int64
	worstNS float64
	cpu     int // of the worst one
}

func (f *finding) saw(ns float64) {
	f.count++
	f.worstNS = max(f.worstNS, ns)
}

// join adds the finding of the thread on another CPU. Every thread sees a step of the clock itself, which is a single
// fault, so the largest count of a thread counts.
func (f *finding) join(other finding, cpu int) {
	if f.count == 0 || other.worstNS > f.worstNS {
		f.worstNS, f.cpu = other.worstNS, cpu
	}
	f.count = max(f.count, other.count)
}

func (b *bench) found(kind string, f finding) {
	if f.count > 0 {
		b.fault(ClockFault{Kind: kind, Count: f.count, WorstNS: f.worstNS, CPU: number(f.cpu)})
	}
}

// A watch is the observations of a thread of the clock. It has no pointers, so that a copy is a snapshot.
type watch struct {
	steps         observe.Steps
	jumps, stalls finding
	stoodNS       float64
	begun         bool
	previous      moment     // the last value
	standsSince   interval   // of the first batch that ended with it
	counted       bool       // whether its standstill counts as a stall already
	suspects      [2]suspect // the steps of the previous batch that look like jumps
	suspected     int        // how many of these are set
	stretches     stretches
}

// A moment is a value of a clock, and the batch in which it was read.
type moment struct {
	value int64
	batch interval
}

// A suspect is a step that was longer than the time that passed by the witness. It is a jump if the clock is still too
// far ahead one batch later. Otherwise the witness was behind in that one read. Under clock source hpet, Linux gives
// the value of the CPU that reads the counter to the CPUs that wait for it (read_hpet in arch/x86/kernel/hpet.c); the
// value is old if the hypervisor stopped the first CPU in the meantime. Clocks of the kernel agree with each other even
// then: while they wait, none of them gets a later value.
type suspect struct {
	before moment
	ns     float64
}

// A pace is the latency and the tick of a clock, measured before it is watched.
type pace struct {
	batch  int     // reads
	readNS float64 // the time of a read
	tickNS float64 // the tick; 0 if the values do not repeat
	// coarse is whether an interrupt advances the clock. The interrupt may be late, so neither a long step nor a long
	// time without a step is a fault.
	coarse bool
	// stood is whether the clock made no tick.
	stood bool
}

// alone reads the clock as fast as the thread can.
func (b *bench) alone(s *observe.Member) {
	ticks := make([]int64, b.pace.batch)
	var second clock.Reader
	if b.witness != nil {
		// If the witness cannot be opened, the watch goes on without it.
		second, _ = b.witness.clock.Open()
	}
	before, after := make([]int64, 1), make([]int64, 1)
	for seen, last := (watch{}), false; ; {
		if second == nil {
			s.Reader.Read(ticks)
			seen.steps.See(ticks, false)
		} else {
			clock.ReadBehind(second, before)
			s.Reader.Read(ticks)
			clock.ReadBehind(second, after)
			seen.steps.See(ticks, false)
			seen.judge(b, ticks, interval{before[0], after[0]})
		}
		over := s.Over()
		if s.Sound() {
			b.parts[s.Index].watch = seen
		}
		// A suspect of the last batch needs another batch to be judged.
		if over && (last || seen.suspected == 0 || !s.Sound()) {
			return
		}
		last = over
	}
}

// watched fills in the result from the watches of the threads.
func (b *bench) watched(members []*observe.Member) {
	tickTicks, fastest := int64(math.MaxInt64), ClockFault{Kind: FaultFast, Count: 1}
	var jumps, stalls finding
	for _, s := range members {
		seen := &b.parts[s.Index].watch
		b.into.Reads += seen.steps.Pairs
		b.into.Repeats += seen.steps.Repeats
		b.into.StoodNS = max(b.into.StoodNS, seen.stoodNS)
		if seen.steps.Smallest > 0 {
			tickTicks = min(tickTicks, seen.steps.Smallest)
		}
		if ppm := seen.stretches.fasterPPM(); ppm > fastest.PPM {
			fastest.PPM, fastest.CPU = ppm, number(s.CPU)
		}
		jumps.join(seen.jumps, s.CPU)
		stalls.join(seen.stalls, s.CPU)
	}
	// The clock never ticked, and does not report a tick that long.
	stood := b.into.StoodNS
	if b.pace.stood && !b.clock.Coarse && b.into.Reads > 0 && b.into.Repeats == b.into.Reads && stood > leastStallNS+manyTicks*b.pace.tickNS {
		stalls.join(finding{count: 1, worstNS: stood}, members[0].CPU)
	}
	if fastest.PPM > 0 {
		b.fault(fastest) // its steps are all too far
	} else {
		b.found(FaultJump, jumps)
	}
	b.found(FaultStall, stalls)
	if b.witness != nil && b.into.Reads > 0 {
		b.into.Witness = b.witness.clock.ID
	}
	if tickTicks < math.MaxInt64 {
		b.into.TickNS = b.ns(tickTicks)
	}
}

// paced measures the clock before it is watched. A clock that does not tick within the
// patience counts as coarse. A coarse clock has the tick that it reports.
func (b *bench) paced(reader clock.Reader, patience time.Duration) {
	const longest = 200 * time.Millisecond
	p := pace{readNS: max(1, observe.ReadNS(reader)), tickNS: max(b.nsPerTick, b.clock.ReportedNS())}
	p.batch = max(2, min(int(batchNS/p.readNS), mostBatch))
	if !b.clock.Coarse {
		step, moved := observe.Step(reader, b.nsPerTick, min(patience, longest), observe.Now)
		if p.stood = !moved; moved {
			p.tickNS = step
		}
	}
	p.coarse = b.clock.Coarse || p.stood || p.tickNS >= coarseNS
	b.pace = p
}

// judge compares a batch with the witness: the clock must not step farther than the time that
// passed around it, nor stand still for longer than the clock may.
func (w *watch) judge(b *bench, ticks []int64, now interval) {
	first, last := ticks[0], ticks[len(ticks)-1]
	w.stretches.add(b, first, last, now)
	suspects := w.suspects[:w.suspected]
	w.suspected = 0
	for _, s := range suspects {
		if ns := b.excessNS(s.before, last, now); ns > 0 {
			w.jumps.saw(min(ns, s.ns))
		}
	}
	if w.begun {
		w.step(b, w.previous, first, now) // between the batches
	}
	w.step(b, moment{first, now}, last, now)
	// The value stood still at least from the end of the first batch that ended with it to the beginning of the last
	// batch that begins with it.
	if w.begun && first == w.previous.value {
		stood := b.witness.least(w.standsSince, now)
		w.stoodNS = max(w.stoodNS, stood)
		if stood > b.pace.longestStand() {
			if !w.counted {
				w.stalls.count++
				w.counted = true
			}
			w.stalls.worstNS = max(w.stalls.worstNS, stood)
		}
	}
	if !w.begun || first != w.previous.value || last != first {
		w.standsSince, w.counted = now, false
	}
	w.begun, w.previous = true, moment{last, now}
}

// step records the step to a value of the batch now as a suspect if it is too long.
func (w *watch) step(b *bench, from moment, to int64, now interval) {
	if ns := b.excessNS(from, to, now); ns > 0 {
		w.suspects[w.suspected] = suspect{from, ns}
		w.suspected++
	}
}

// excessNS returns by how many nanoseconds the step to a value of the batch now is longer than the time that may have
// passed; 0 if the clock may make that step.
func (b *bench) excessNS(from moment, to int64, now interval) float64 {
	went, room := b.ns(to-from.value), b.witness.most(from.batch, now)
	if b.pace.coarse || went <= room*(1+slack)+b.pace.tickNS+leastJumpNS {
		return 0
	}
	return went - room
}

// longestStand returns the max time in nanoseconds that a value may stand still.
func (p pace) longestStand() float64 {
	if p.coarse {
		return coarseStallNS + manyTicks*p.tickNS
	}
	return max(leastStallNS, manyTicks*p.tickNS)
}
