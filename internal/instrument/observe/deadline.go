package observe

import (
	"math"
	"time"

	"github.com/timebench/timebench/internal/machine/thread"
)

// yieldAfter is how long a loop keeps its CPU before it yields under a real-time policy. Under an
// ordinary policy the kernel divides the CPU itself.
const yieldAfter = 20 * time.Millisecond

// A deadline is when a loop that keeps a CPU busy ends by itself. It belongs to the thread of the loop.
//
// A thread that spins under a real-time policy (SCHED_FIFO, sched(7)) owns its CPU: with one on each CPU nothing else
// runs, neither the timer that would end the loop nor a signal handler. So each loop checks its own deadline, and
// regularly yields to other threads of the same priority.
type deadline struct {
	at        int64
	giveWayAt int64 // never under an ordinary policy
}

// deadlineAt returns the deadline at a time of the stopwatch, for the calling thread.
func deadlineAt(at int64) deadline {
	d := deadline{at, math.MaxInt64}
	if thread.RealTimePolicy() != "" {
		d.giveWayAt = Now() + int64(yieldAfter)
	}
	return d
}

// passed returns whether the deadline has passed. It yields to other threads if this one owned the CPU for long enough.
// A call reads the stopwatch; call it every few microseconds to milliseconds.
func (d *deadline) passed() bool {
	now := Now()
	if now >= d.at {
		return true
	}
	if now >= d.giveWayAt {
		thread.Yield()
		d.giveWayAt = Now() + int64(yieldAfter)
	}
	return false
}
