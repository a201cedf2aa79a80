package verify

import (
	"context"
	"slices"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/show/words"
)

// A bench checks one clock.
type bench struct {
	clock     clock.Clock
	nsPerTick float64
	pace      pace
	witness   *witness
	otherPath *clock.Clock // the same clock by another path, or nil
	into      *VerifiedClock
	published []published // of each thread; nil if the clock is not compared between CPUs
	parts     []part      // of each thread
}

// A part is what one thread observed. Only that thread writes to it.
type part struct {
	watch
	comparison
	bracketing
	failure error
}

// ready returns the bench of a clock that can be read, for this number of threads. It waits for a tick of the clock for
// up to patience. Call it on a thread of its own.
func ready(c clock.Clock, s Settings, second *witnesses, threads int, patience time.Duration,
	into *VerifiedClock) *bench {
	reader, err := clock.Ready(c)
	if err != nil {
		into.Reason = err.Error()
		return nil
	}
	hz := observe.Hz(c, min(observe.SpanOfARate(rateSpan), s.Time/5))
	if hz == 0 {
		into.Reason = "its rate could not be measured"
		return nil
	}
	b := &bench{clock: c, nsPerTick: 1e9 / hz, witness: second.of(c), into: into, parts: make([]part, threads)}
	if c.Kind == clock.UserTime {
		b.witness = nil // The kernel divides CPU time by ticks, so user time stands still and jumps.
	}
	b.paced(reader, patience)
	if c.Kind.CountsCPU() && c.PerThread {
		b.asleep(reader)
	}
	if threads > 1 && !c.PerThread {
		b.published = make([]published, threads)
		for i := range threads {
			b.published[i].value.Store(nothing)
		}
	}
	if other := named(s.All, c.OtherPath); other != nil && other.Hz == c.Hz {
		b.otherPath = other
	}
	return b
}

// work makes all checks on one thread. Each clock has a turn alone and in brackets. The check across CPUs takes all
// clocks together, because on a busy machine the CPUs seldom run at the same time. Every thread has the same schedule.
// A late thread makes its first reads of each check.
func work(ctx context.Context, benches []*bench, s *observe.Member) {
	readers := make([]clock.Reader, len(benches))
	for i, b := range benches {
		readers[i], b.parts[s.Index].failure = b.clock.Open()
	}
	until, total := 0.0, acrossShare
	for _, b := range benches {
		total += aloneShare / float64(len(benches))
		if b.otherPath != nil {
			total += bracketShare / float64(len(benches))
		}
	}
	// next runs a check for this share of the time. It returns whether the thread can go on.
	next := func(share float64, check func()) bool {
		until += share / total
		s.Until(until)
		check()
		return !s.Moved && ctx.Err() == nil
	}
	// turn runs a check of clock i. A clock that fails has no further turns.
	turn := func(i int, share float64, check func(*observe.Member)) bool {
		return next(share/float64(len(benches)), func() {
			if failure := &benches[i].parts[s.Index].failure; *failure == nil {
				s.Reader, s.Err = readers[i], nil
				check(s)
				s.Reader, *failure, s.Err = nil, s.Err, nil
			}
		})
	}
	for i, b := range benches {
		if !turn(i, aloneShare, b.alone) {
			return
		}
	}
	if !next(acrossShare, func() { across(benches, readers, s) }) {
		return
	}
	for i, b := range benches {
		if b.otherPath != nil && !turn(i, bracketShare, b.bracket) {
			return
		}
	}
}

// wentBack returns how often the clock went back in the reads of a single thread, alone and across CPUs.
func (b *bench) wentBack(members []*observe.Member) (backwards finding) {
	for _, s := range members {
		of := &b.parts[s.Index]
		backwards.join(finding{count: of.steps.Backwards + of.backwards.count,
			worstNS: max(b.ns(of.steps.Farthest), of.backwards.worstNS)}, s.CPU)
	}
	return backwards
}

// ended fills in the result from the members of the threads that ended. The others may still be working.
func (b *bench) ended(members []*observe.Member) {
	backwards := b.wentBack(members)
	b.found(FaultBackwards, backwards)
	b.watched(members)
	if b.published != nil {
		b.compared(members, backwards.count > 0)
	}
	if b.otherPath != nil {
		b.bracketed(members)
	}
	for _, s := range members {
		if err := b.parts[s.Index].failure; err != nil {
			b.fault(ClockFault{Kind: FaultFailed, Count: 1, CPU: number(s.CPU), Text: err.Error()})
			break
		}
	}
}

// afterSuspend removes the contradictions with the witness, if the machine was suspended during the run: some clocks
// count that time, others do not, and some counters begin anew.
func (b *bench) afterSuspend(suspended time.Duration) {
	if suspended == 0 || b.witness == nil {
		return
	}
	b.into.StoodNS = 0
	b.into.Faults = slices.DeleteFunc(b.into.Faults, func(f ClockFault) bool {
		return f.Kind == FaultJump || f.Kind == FaultStall || f.Kind == FaultFast
	})
	reason := "the machine was suspended for " + words.Duration(float64(suspended)) +
		", which hides jumps and stalls; run it again"
	if b.into.Reason != "" {
		reason = b.into.Reason + "; " + reason
	}
	b.into.Reason = reason
}

func number(cpu int) *int {
	if cpu == thread.Any {
		return nil
	}
	return &cpu
}

func (b *bench) fault(f ClockFault) { b.into.Faults = append(b.into.Faults, f) }

func (b *bench) ns(ticks int64) float64 { return float64(ticks) * b.nsPerTick }
