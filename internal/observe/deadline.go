package observe

import (
	"math"
	"time"

	"github.com/timebench/timebench/internal/thread"
)

// turn is how long a loop keeps its CPU at a time under a real-time policy. Under an
// ordinary one the kernel divides the CPU itself.
const turn = 20 * time.Millisecond

// A Deadline is when a loop that keeps a CPU busy ends by itself. It belongs to the thread of
// the loop.
//
// A thread that spins under a real-time policy (SCHED_FIFO, sched(7)) owns its CPU: with
// one on each CPU nothing else runs, neither the timer that would end the loop nor the
// handler of a signal. So each loop asks for its own deadline, and lets other threads of
// the same priority have the CPU every so often.
type Deadline struct {
	at        int64
	giveWayAt int64 // never under an ordinary policy
}

// DeadlineIn returns the deadline that is so far away, for the thread that calls it.
func DeadlineIn(span time.Duration) Deadline {
	now := Now()
	d := Deadline{now + int64(span), math.MaxInt64}
	if thread.RealTimePolicy() != "" {
		d.giveWayAt = now + int64(turn)
	}
	return d
}

// Passed reports whether the deadline has passed. It lets other threads run first where
// this one owned the CPU for long enough. A call takes a reading of the stopwatch; ask
// every few microseconds to milliseconds.
func (d *Deadline) Passed() bool {
	now := Now()
	if now >= d.at {
		return true
	}
	if now >= d.giveWayAt {
		thread.Yield()
		d.giveWayAt = Now() + int64(turn)
	}
	return false
}

// steps is how many parts a patience has.
const steps = 20

// A Patience is how long somebody waits for threads that spin. It counts steps in which
// the waiter itself had a CPU: where the whole process was stopped meanwhile (SIGSTOP, a
// paused machine) the threads had none either, and one step is all that it takes.
type Patience struct {
	ticker *time.Ticker
	left   int
}

// NewPatience returns a patience of the span. Stop it when nobody waits any more.
func NewPatience(span time.Duration) *Patience {
	return &Patience{time.NewTicker(span / steps), steps}
}

// Step returns a channel that hears of each step. A step that is heard of is to be
// counted by Over.
func (p *Patience) Step() <-chan time.Time { return p.ticker.C }

// Over counts a step, and reports whether it was the last one.
func (p *Patience) Over() bool {
	p.left--
	return p.left <= 0
}

// Stop ends the steps.
func (p *Patience) Stop() { p.ticker.Stop() }
