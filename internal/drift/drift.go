// Package drift holds clocks against a reference over a longer time: how much faster or
// slower each runs, in parts per million, asleep and under load.
//
// Every so often each clock is read between two readings of the reference, several
// times, and the tightest of these brackets is kept: the clock had its value at the
// middle of it, give or take half its width. The rate is the slope of a line of least
// squares through them. Its interval is Student's, for as many independent readings as
// their correlation leaves, and is never narrower than the ticks of both clocks
// allow: a clock that steps by 4 ms may be 4 ms further than it says, at one end of the
// run and not at the other.
//
// What a rate is worth: two clocks that the kernel makes of the same counter agree
// exactly, whatever the counter does. The reference's own error is in every rate.
package drift

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/thread"
)

// Settings are the choices of a run.
type Settings struct {
	// Time is how long the whole run takes.
	Time time.Duration
	// LoadTime is the last part of it, in which CPUs are kept busy; 0 for none, all of
	// Time or more for the whole run.
	LoadTime time.Duration
	// CPUs is how many are kept busy then; 0 for none.
	CPUs int
	// NominalHz returns the ticks a second that the kernel takes a counter to make
	// which states none itself; 0 where it is not known. May be nil.
	NominalHz func(clock.Clock) float64
}

// Run holds the clocks against the reference, which is left out where it is among them,
// and tells progress, which may be nil, as it goes. It ends early, with what was seen,
// when ctx does. A clock that cannot be opened, that fails, or of which no rate can be
// told is an entry with a reason. An error says why the reference cannot serve; what
// was seen before it failed is returned too.
func Run(ctx context.Context, clocks []clock.Clock, reference clock.Clock, s Settings, tell func(done, total time.Duration)) (Drift, error) {
	return run(ctx, clocks, reference, s, tell, world{sleep, func(cpus int) func() { return thread.Busy(cpus, s.LoadTime+time.Minute) }})
}

// A world is what a run does to the machine.
type world struct {
	sleep func(context.Context, time.Duration)
	busy  func(cpus int) (stop func())
}

// sleep is Go's own: the kernel's would hold up a garbage collection for as long.
func sleep(ctx context.Context, span time.Duration) {
	timer := time.NewTimer(span)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

func run(ctx context.Context, clocks []clock.Clock, reference clock.Clock, s Settings, tell func(done, total time.Duration), w world) (Drift, error) {
	r := &runner{world: w, ctx: ctx, settings: s, tell: tell, reference: &subject{clock: reference}, dither: rand.New(rand.NewPCG(0, 0))}
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
