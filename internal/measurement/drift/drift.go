// Package drift compares clocks with a reference over a longer time: the rate of each in
// parts per million, while idle and under load.
//
// In each sweep each clock is read several times between two readings of the reference, and the tightest of these
// brackets is kept: the clock had its value at the middle, with an error bound of half the width. The rate is the slope
// of a least-squares line through them. Its confidence interval is Student's, for the number of independent readings
// that their correlation leaves. It is never narrower than the ticks of both clocks allow: a clock with a tick of 4 ms
// may be 4 ms ahead of its value at one end of the run and not at the other.
//
// Two clocks that the kernel derives from the same counter agree exactly, whatever the
// counter does. Every rate includes the error of the reference.
package drift

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/thread"
)

// Settings are the settings of a run.
type Settings struct {
	// Time is how long the whole run takes.
	Time time.Duration
	// LoadTime is how long CPUs are kept busy at the end of the run: 0 for no load, Time or more for the whole run.
	LoadTime time.Duration
	// CPUs is the number of CPUs that are kept busy; 0 for none.
	CPUs int
	// KernelTSCHz is the kernel's rate of the time stamp counter, which does not report its own; 0 if unknown.
	KernelTSCHz float64
}

// Run compares the clocks with the reference, which it skips among them, and reports its progress, unless progress is
// nil. It ends early, with the results so far, when ctx ends. A clock that cannot be opened, that fails, or that gives
// no rate is an entry with a reason. The error is why the reference cannot be used; the results before its failure are
// returned too.
func Run(ctx context.Context, clocks []clock.Clock, reference clock.Clock, s Settings,
	progress func(done, total time.Duration)) (Drift, error) {
	if s.LoadTime > 0 {
		if err := observe.RoomForThreads(ctx, s.CPUs); err != nil {
			return Drift{}, err
		}
	}
	busy := func(cpus int) func() { return thread.Busy(cpus, s.LoadTime+time.Minute) }
	return run(ctx, clocks, reference, s, progress, world{observe.Sleep, busy})
}

// A world is the effects of a run on the machine, which tests replace.
type world struct {
	sleep func(context.Context, time.Duration) bool
	busy  func(cpus int) (stop func())
}

func run(ctx context.Context, clocks []clock.Clock, reference clock.Clock, s Settings,
	progress func(done, total time.Duration), w world) (Drift, error) {
	r := &runner{world: w, ctx: ctx, settings: s, progress: progress, reference: &subject{clock: reference},
		dither: rand.New(rand.NewPCG(0, 0))}
	for _, c := range clocks {
		if c.ID != reference.ID {
			r.subjects = append(r.subjects, &subject{clock: c})
		}
	}
	if err := thread.Run(thread.Any, r.run); err != nil {
		return Drift{}, err
	}
	drift := Drift{
		Reference: reference.ID, DurationNS: int64(r.elapsed), LoadedFromNS: int64(r.loadedFrom), Clocks: []DriftedClock{},
	}
	for _, s := range r.subjects {
		drift.Clocks = append(drift.Clocks, s.result(r.reference))
	}
	if r.reference.err != nil {
		return drift, fmt.Errorf("reference %s: %w", reference.ID, r.reference.err)
	}
	return drift, nil
}

// DefaultClocks returns the clocks that are measured if none are chosen: the clocks that programs choose between. It
// leaves out CPU time, which passes only while a thread runs, and clocks whose ticks hide their rate for minutes.
func DefaultClocks() []clock.Clock {
	const finest = 1e6 // ticks a second
	return slices.DeleteFunc(clock.Default(), func(c clock.Clock) bool {
		return c.Kind.CountsCPU() || c.Hz > 0 && c.Hz <= finest || strings.Contains(c.ID, "_COARSE@")
	})
}
