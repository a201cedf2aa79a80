// Package verify checks whether clocks can be trusted.
//
// It compares each clock with itself, with the other CPUs, with the same clock by another path and with other clocks:
//
//   - alone: every CPU reads the clock as fast as it can. A value below the one before it
//     went backwards. A stall or a jump is a pause or a step that contradicts a second clock
//     (the witness). Preemption of the thread causes neither: the witness is read before and
//     after each batch of reads, so a pause lies within both clocks' spans.
//   - across: the time-warp test. Every CPU publishes what it reads on a cache line of its
//     own. A thread that loads another's value and then reads the clock must not get a lower
//     value.
//   - bracket: the vDSO's value must lie between two of the system call's, one read before it
//     and one after it.
//   - relations: wall against monotonic, boot against monotonic, raw against monotonic, over
//     the whole run.
//
// A correct clock has no fault however busy the machine is: every fault is a contradiction, not a figure above a
// threshold that noise can reach. So steps and standing still are not checked for a clock that an interrupt advances.
package verify

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/thread"
)

// Settings are the settings of a run.
type Settings struct {
	// Time is the time of the run, for all clocks together.
	Time time.Duration
	// CPUs are the CPUs that read, all at the same time; each once.
	CPUs []int
	// Load is whether other threads keep every CPU that the process may use busy.
	Load bool
	// All are the clocks from which twins, witnesses and relations are taken.
	All []clock.Clock
	// CounterIsTrusted is whether the CPU's counter may be a witness of other clocks: the
	// kernel itself derives its time from it.
	CounterIsTrusted bool
	// free is whether no thread can be pinned to any of the CPUs. Run sets it.
	free bool
}

// These are the shares of the checks in the time of a clock that has all of them.
const (
	aloneShare   = 0.4
	acrossShare  = 0.35
	bracketShare = 0.25
)

// rateSpan is the time to measure the rate of a counter that does not report it.
const rateSpan = 20 * time.Millisecond

// Run verifies the clocks. When ctx ends, it returns the results so far, and a clock that was
// not reached has that as its reason. tell, which may be nil, is called with the progress.
func Run(ctx context.Context, clocks []clock.Clock, s Settings, tell func(done, total time.Duration)) Verification {
	start := time.Now()
	s.free = thread.Pinnable(s.CPUs) != nil
	// Every thread that spins needs a P; two more run the run itself.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), len(s.CPUs)+2)))
	if s.Load {
		defer thread.Busy(len(thread.Usable()), s.Time+time.Minute)()
	}
	v := Verification{CPUs: s.CPUs, Load: s.Load, Clocks: []VerifiedClock{}}
	related := begin(clocks, s.All)
	second := newWitnesses(s)
	lost := map[int]bool{}
	observe.InTurn(clocks, s.Time, time.Millisecond, tell, func(c clock.Clock, span time.Duration) {
		v.Clocks = append(v.Clocks, one(ctx, c, s, span, second, lost))
	})
	v.Relations = related.end()
	v.LostCPUs = slices.DeleteFunc(slices.Sorted(maps.Keys(lost)), func(cpu int) bool { return cpu == thread.Any })
	v.DurationNS = int64(time.Since(start))
	return v
}

// one verifies one clock for about the span, and adds the CPUs that were lost to lost. A
// clock that was not verified has a reason.
func one(ctx context.Context, c clock.Clock, s Settings, span time.Duration, second *witnesses, lost map[int]bool) VerifiedClock {
	v := tried(ctx, c, s, span, second, lost)
	if v.Verdict == Unverified && v.Reason == "" {
		v.Reason = unread(ctx, v.Faults)
	}
	return v
}

func unread(ctx context.Context, faults []ClockFault) string {
	i := slices.IndexFunc(faults, func(f ClockFault) bool { return f.Text != "" })
	switch {
	case i >= 0:
		return faults[i].Text
	case ctx.Err() != nil:
		return interrupted
	default:
		return "no thread got a CPU for it in its share of the time; use a longer --duration"
	}
}

// interrupted is the reason of a clock that the run did not reach.
const interrupted = "interrupted before it was read"

// tried is one, but may leave a clock unverified without a reason.
func tried(ctx context.Context, c clock.Clock, s Settings, span time.Duration, second *witnesses, lost map[int]bool) VerifiedClock {
	v := VerifiedClock{ID: c.ID, Verdict: Unverified}
	if ctx.Err() != nil {
		return v
	}
	if err := clock.Readable(c); err != nil {
		v.Reason = err.Error()
		return v
	}
	// Under a slow clock source this takes longer than a clock's share of a short run.
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

func named(all []clock.Clock, id string) *clock.Clock {
	i := slices.IndexFunc(all, func(c clock.Clock) bool { return c.ID == id })
	if i < 0 {
		return nil
	}
	return &all[i]
}
