// Package verify tries whether clocks can be trusted.
//
// It holds each clock against itself, against the other CPUs, against the same clock by
// another path and against other clocks:
//
//   - alone: every CPU reads the clock as fast as it can. A value below the one before it
//     went backwards; one that stands still, or takes a step, for which a second clock
//     (the witness) leaves no room, is a stall or a jump. That a thread was preempted
//     explains neither: the witness is read before and after each batch of reads, so a
//     pause lies within both clocks' spans.
//   - across: the time-warp test. Every CPU publishes what it reads on a cache line of
//     its own. Whoever has loaded another's value and reads the clock behind that must
//     not get less.
//   - bracket: the vDSO's value must lie between two of the system call's, of which one was
//     read before and one after it.
//   - relations: wall against monotonic, boot against monotonic, raw against monotonic,
//     over the whole run.
//
// A clean clock gives no fault however busy the machine is: every fault is a
// contradiction, not a figure above a threshold that noise can reach. Of a clock that
// ticks by an interrupt, steps and standing still are therefore not judged.
package verify

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/observe"
	"github.com/timebench/timebench/internal/thread"
)

// Settings are how to verify.
type Settings struct {
	// Time is how long for all clocks together.
	Time time.Duration
	// CPUs are the CPUs that read, all at once; none twice.
	CPUs []int
	// Load keeps every CPU that the process may use busy with other threads meanwhile.
	Load bool
	// All are the clocks from which twins, witnesses and relations are taken.
	All []clock.Clock
	// CounterIsTrusted says that the CPU's counter may witness against other clocks: the
	// kernel itself makes its time of it.
	CounterIsTrusted bool
	// free is set by Run where no thread can be pinned to any of the CPUs.
	free bool
}

// The parts of a clock's time that its checks take, where it has all of them.
const (
	aloneShare   = 0.4
	acrossShare  = 0.35
	bracketShare = 0.25
)

// rateSpan is how long the rate of a counter is watched that does not state it.
const rateSpan = 20 * time.Millisecond

// Run verifies the clocks. When ctx ends, what is known by then is the result, and
// clocks that were not reached say so. tell, which may be nil, hears how far it is.
func Run(ctx context.Context, clocks []clock.Clock, s Settings, tell func(done, total time.Duration)) Verification {
	if tell == nil {
		tell = func(time.Duration, time.Duration) {}
	}
	start := time.Now()
	s.free = thread.Pinnable(s.CPUs) != nil
	// Every thread that spins must have a P; two more serve the run itself.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), len(s.CPUs)+2)))
	if s.Load {
		defer thread.Busy(len(thread.Usable()), s.Time+time.Minute)()
	}
	v := Verification{CPUs: s.CPUs, Load: s.Load, Clocks: []VerifiedClock{}}
	related := begin(clocks, s.All)
	second := newWitnesses(s)
	lost := map[int]bool{}
	// A run that loses time, as one does that is stopped meanwhile, takes longer rather than
	// see next to nothing of the clocks that are left.
	least := max(s.Time/time.Duration(2*max(1, len(clocks))), time.Millisecond)
	for i, c := range clocks {
		share := (s.Time - time.Since(start)) / time.Duration(len(clocks)-i)
		v.Clocks = append(v.Clocks, one(ctx, c, s, max(share, least), second, lost))
		tell(time.Since(start), s.Time)
	}
	v.Relations = related.end()
	v.LostCPUs = slices.DeleteFunc(slices.Sorted(maps.Keys(lost)), func(cpu int) bool { return cpu == thread.Any })
	v.DurationNS = int64(time.Since(start))
	return v
}

// one verifies one clock for about the span, and adds to the CPUs that were lost. A clock
// that was not verified has a reason.
func one(ctx context.Context, c clock.Clock, s Settings, span time.Duration, second *witnesses, lost map[int]bool) VerifiedClock {
	v := tried(ctx, c, s, span, second, lost)
	if v.Verdict == Unverified && v.Reason == "" {
		v.Reason = unread(ctx, v.Faults)
	}
	return v
}

// unread returns why no read of a clock was checked that could be had.
func unread(ctx context.Context, faults []ClockFault) string {
	i := slices.IndexFunc(faults, func(f ClockFault) bool { return f.Text != "" })
	switch {
	case i >= 0:
		return faults[i].Text
	case ctx.Err() != nil:
		return interrupted
	default:
		return "no thread got a CPU for it in its share of the time; use a longer --time"
	}
}

// interrupted is the reason of a clock that the run did not come to.
const interrupted = "interrupted before it was read"

// tried is one, but for a reason that no check gives.
func tried(ctx context.Context, c clock.Clock, s Settings, span time.Duration, second *witnesses, lost map[int]bool) VerifiedClock {
	v := VerifiedClock{ID: c.ID, Verdict: Unverified}
	if ctx.Err() != nil {
		return v
	}
	if err := clock.Readable(c); err != nil {
		v.Reason = err.Error()
		return v
	}
	// Under a slow clock source that takes longer than a clock's share of a short run.
	hz := observe.Hz(c, min(observe.SpanOfARate(rateSpan), max(span/2, s.Time/5)))
	if hz == 0 {
		v.Reason = "how fast it ticks could not be told"
		return v
	}
	b := &bench{ctx: ctx, clock: c, nsPerTick: 1e9 / hz, cpus: s.CPUs, free: s.free, lost: lost, into: &v}
	twin := named(s.All, c.Twin)
	across := len(s.CPUs) > 1 && !c.PerThread
	total := aloneShare
	if across {
		total += acrossShare
	}
	if twin != nil {
		total += bracketShare
	}
	part := func(share float64) time.Duration { return time.Duration(float64(span) * share / total) }
	b.alone(part(aloneShare), second.of(c))
	if across {
		b.across(part(acrossShare))
	}
	if twin != nil {
		b.bracket(part(bracketShare), *twin)
	}
	slices.SortFunc(v.Faults, func(a, b ClockFault) int {
		return slices.Index(ClockFaults, a.Kind) - slices.Index(ClockFaults, b.Kind)
	})
	v.Verdict = verdictOn(v, c.PerThread)
	return v
}

// verdictOn returns the verdict that the faults come to.
func verdictOn(v VerifiedClock, perThread bool) string {
	has := func(kinds ...string) bool {
		return slices.ContainsFunc(v.Faults, func(f ClockFault) bool { return slices.Contains(kinds, f.Kind) })
	}
	compared := v.Across != nil && v.Across.Pairs > 0
	switch {
	case v.Reads == 0:
		return Unverified
	case has(FaultBackwards):
		return Backwards
	case has(FaultWarp):
		return OneCPU
	case len(v.Faults) > 0:
		return Faulty
	case perThread || compared:
		return IsMonotonic
	default:
		return OneCPU
	}
}

// named is the clock of that id among all; nil where there is none.
func named(all []clock.Clock, id string) *clock.Clock {
	i := slices.IndexFunc(all, func(c clock.Clock) bool { return c.ID == id })
	if i < 0 {
		return nil
	}
	return &all[i]
}
