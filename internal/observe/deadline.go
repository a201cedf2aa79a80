package observe

import (
	"math"
	"time"

	"github.com/timebench/timebench/internal/thread"
)

// turn is how long a loop keeps its CPU at a time under a real-time policy. Under an
// ordinary one the kernel divides the CPU itself.
const turn = 20 * time.Millisecond

// A deadline is when a loop that keeps a CPU busy ends by itself. It belongs to the thread of
// the loop.
//
// A thread that spins under a real-time policy (SCHED_FIFO, sched(7)) owns its CPU: with
// one on each CPU nothing else runs, neither the timer that would end the loop nor the
// handler of a signal. So each loop asks for its own deadline, and lets other threads of
// the same priority have the CPU every so often.
type deadline struct {
	at        int64
	giveWayAt int64 // never under an ordinary policy
}

// deadlineIn returns the deadline that is so far away, for the thread that calls it.
func deadlineIn(span time.Duration) deadline {
	now := Now()
	d := deadline{now + int64(span), math.MaxInt64}
	if thread.RealTimePolicy() != "" {
		d.giveWayAt = now + int64(turn)
	}
	return d
}

// passed reports whether the deadline has passed. It lets other threads run first where
// this one owned the CPU for long enough. A call takes a reading of the stopwatch; ask
// every few microseconds to milliseconds.
func (d *deadline) passed() bool {
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
