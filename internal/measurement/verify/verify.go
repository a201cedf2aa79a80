// Package verify checks whether clocks can be trusted.
//
// It compares each clock with itself, with the other CPUs and with the same clock by another path:
//
//   - alone: every CPU reads the clock as fast as it can. A value below the value before it went backwards. A stall or
//     a jump is a pause or a step that contradicts a second clock (the witness). Preemption of the thread causes
//     neither: the witness is read before and after each batch of reads, so a pause lies within both clocks' spans.
//   - across: the time-warp test. Every CPU publishes its reads on a cache line of its own. A thread that loads
//     another's value and then reads the clock must not get a lower value.
//   - bracket: a value of the vDSO must lie between two values of the system call, one read before it and one after it.
//
// A correct clock has no fault however busy the machine is: every fault is a contradiction, not a figure above a
// threshold that noise can reach. So steps and standing still are not checked for a clock that an interrupt advances.
package verify

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/show/words"
)

// Settings are the settings of a run.
type Settings struct {
	// Time is the time of the run, for all clocks together.
	Time time.Duration
	// CPUs are the CPUs that read, all at the same time; each once.
	CPUs []int
	// Load is whether other threads keep every CPU that the process may use busy.
	Load bool
	// All are the clocks from which other paths and witnesses are taken.
	All []clock.Clock
	// CounterIsTrusted is whether the CPU's counter may be a witness of other clocks: the
	// kernel itself derives its time from it.
	CounterIsTrusted bool
}

// These are the shares of the checks in the time of a clock with all checks.
const (
	aloneShare   = 0.4
	acrossShare  = 0.35
	bracketShare = 0.25
)

// fewestReads is the min number of compared reads of a clock that passes.
const fewestReads = 100

// rateSpan is the time to measure the rate of a counter that does not report it.
const rateSpan = 20 * time.Millisecond

// bootClock is a variable because tests cannot suspend the machine.
var bootClock = observe.BootClock

// Run verifies the clocks. When ctx ends, it returns the results so far; the end is the reason of each clock that was
// not reached. progress may be nil.
func Run(ctx context.Context, clocks []clock.Clock, s Settings, progress func(done, total time.Duration)) Verification {
	start := time.Now()
	cpus := slices.Clone(s.CPUs)
	if thread.Pinnable(cpus) != nil {
		cpus = slices.Repeat([]int{thread.Any}, len(cpus))
	}
	v := Verification{CPUs: s.CPUs, Load: s.Load, Clocks: make([]VerifiedClock, len(clocks))}
	for i, c := range clocks {
		v.Clocks[i] = VerifiedClock{ID: c.ID, Verdict: Unverified}
	}
	busy := 0
	if s.Load {
		busy = len(thread.Usable())
	}
	if err := observe.RoomForThreads(ctx, len(cpus)+busy); err != nil {
		for i := range v.Clocks {
			v.Clocks[i].Reason = err.Error()
		}
		return v
	}
	// Every thread that spins needs a P; two more run the run itself.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), len(cpus)+2)))
	defer thread.Busy(busy, s.Time+time.Minute)()
	defer telling(start, s.Time, progress)()
	booted := bootClock()
	var benches []*bench
	// On a machine where every new thread waits for a CPU, many threads would take the time of the run.
	err := thread.Run(thread.Any, func() {
		second := &witnesses{s.All, s.CounterIsTrusted, map[string]*witness{}}
		for i, c := range clocks {
			if ctx.Err() != nil {
				return
			}
			if i > 0 && time.Since(start) > s.Time/2 {
				v.Clocks[i].Reason = observe.WhyEnded(ctx, " before it was read")
				continue
			}
			if b := ready(c, s, second, len(cpus), s.Time/time.Duration(10*len(clocks)), &v.Clocks[i]); b != nil {
				benches = append(benches, b)
			}
		}
	})
	const least = 0 // a thread can check its own reads alone
	r := observe.Together(ctx, clock.Clock{}, cpus, max(s.Time-time.Since(start), s.Time/2), least,
		func(member *observe.Member) {
			work(ctx, benches, member)
		})
	lost, why := r.Lost(), ""
	for _, cpu := range slices.Sorted(maps.Keys(lost)) {
		why = lost[cpu]
		if cpu != thread.Any {
			v.LostCPUs = append(v.LostCPUs, cpu)
		}
	}
	suspended := observe.Suspended(booted, bootClock())
	for _, b := range benches {
		b.into.Reason = why
		b.ended(r.Ended)
		b.afterSuspend(suspended)
		slices.SortFunc(b.into.Faults, func(a, b ClockFault) int {
			return slices.Index(ClockFaults, a.Kind) - slices.Index(ClockFaults, b.Kind)
		})
		b.into.Verdict = verdictOn(*b.into, b.clock.PerThread)
	}
	for i := range v.Clocks {
		if c := &v.Clocks[i]; c.Verdict == Unverified && c.Reason == "" {
			c.Reason = unread(ctx, err, *c)
		}
	}
	v.DurationNS = int64(time.Since(start))
	return v
}

// telling calls progress, unless it is nil, with the progress until it is stopped, and once more.
func telling(start time.Time, total time.Duration, progress func(done, total time.Duration)) (stop func()) {
	if progress == nil {
		return func() {}
	}
	ctx, end := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	ended.Go(func() {
		for observe.Sleep(ctx, total/50) {
			progress(time.Since(start), total)
		}
	})
	return func() {
		end()
		ended.Wait()
		progress(time.Since(start), total)
	}
}

// unread returns why a clock could not be verified. err is why no thread was available.
func unread(ctx context.Context, err error, v VerifiedClock) string {
	i := slices.IndexFunc(v.Faults, func(f ClockFault) bool { return f.Text != "" })
	switch {
	case err != nil:
		return err.Error()
	case i >= 0:
		return v.Faults[i].Text
	case ctx.Err() != nil:
		return observe.WhyEnded(ctx, " before it was read")
	default:
		return fmt.Sprintf("only %s in its share of the time; use a longer --duration", words.Plural(int(v.Reads), "read"))
	}
}

func verdictOn(v VerifiedClock, perThread bool) string {
	compared := v.Across != nil && v.Across.Pairs > 0
	switch {
	case v.Reads == 0:
		return Unverified
	case v.Fault(FaultBackwards) != nil:
		return Backwards
	case v.Fault(FaultWarp) != nil:
		return OneCPU
	case len(v.Faults) > 0:
		return Faulty
	case v.Reads < fewestReads:
		return Unverified
	case perThread || compared:
		return IsMonotonic
	default:
		return NotCompared
	}
}

func named(all []clock.Clock, id string) *clock.Clock {
	i := slices.IndexFunc(all, func(c clock.Clock) bool { return c.ID == id })
	if i < 0 {
		return nil
	}
	return &all[i]
}
