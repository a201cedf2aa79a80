package wake

import (
	"slices"
	"sync"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
)

// A Way is one way to sleep.
type Way struct {
	// ID is call and path: nanosleep@syscall. Call is the call with its arguments.
	ID, Call string
	// twin is the id of a way that differs from this one by the layer named by twinLayer only; empty without one.
	twin, twinLayer string
	// slackless is whether the timer slack of the thread does not count for the call, as for all timers of files.
	slackless bool
	// open prepares the way for the calling thread, or returns why the way is not available.
	open func() (sleeper, error)
}

// A sleeper sleeps for a time, and returns by how much the wake-up was later than the end of that time, all in ns.
type sleeper interface {
	sleep(span int64) (late int64, err error)
}

// A sleepFunc is a sleeper of Go code.
type sleepFunc func(span int64) (late int64, err error)

func (f sleepFunc) sleep(span int64) (late int64, err error) { return f(span) }

// A turn is one sleep of a way, in ns.
type turn struct {
	way        int
	span, late int64
}

// after returns a sleeper of a call that sleeps for the time that is left, in ns.
func after(sleep func(ns int64) error) sleepFunc {
	return func(span int64) (int64, error) {
		deadline := observe.Now() + span
		err := sleep(max(0, deadline-observe.Now()))
		return observe.Now() - deadline, err
	}
}

// goWay is time.Sleep of Go, on a goroutine that is not locked to a thread, as in a program.
var goWay = Way{ID: "time.Sleep@go", Call: "time.Sleep", twin: "epoll_wait@syscall", twinLayer: Runtime,
	open: func() (sleeper, error) {
		sleep := after(func(ns int64) error { time.Sleep(time.Duration(ns)); return nil })
		return sleepFunc(func(span int64) (late int64, err error) {
			var end sync.WaitGroup
			end.Go(func() { late, err = sleep(span) })
			end.Wait()
			return late, err
		}), nil
	}}

// HighResolutionID is the one way of Windows that is not bound to the tick of the system timer (Windows 10, version
// 1803).
const HighResolutionID = "CreateWaitableTimerEx(HIGH_RESOLUTION)@winapi"

// Ways returns all ways of this system.
func Ways() []Way { return append(slices.Clone(systemWays), goWay) }

// Select returns the ways that match the selectors, as of clocks, and the ways that explain theirs; without selectors
// all.
func Select(selectors []string) ([]Way, error) {
	all := Ways()
	if len(selectors) == 0 {
		return all, nil
	}
	selected, err := clock.Matching(IDs(), "way", "timebench wake --help", selectors)
	if err != nil {
		return nil, err
	}
	for _, w := range slices.Backward(all) { // a twin stands before the ways that it explains
		if selected[w.ID] && w.twin != "" {
			selected[w.twin] = true
		}
	}
	return slices.DeleteFunc(all, func(w Way) bool { return !selected[w.ID] }), nil
}

// IDs returns the ids of all ways.
func IDs() (ids []string) {
	for _, w := range Ways() {
		ids = append(ids, w.ID)
	}
	return ids
}
