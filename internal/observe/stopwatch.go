package observe

import (
	"sync/atomic"
	"time"
)

// stopwatchNS and stopwatchTickNS are what [TryStopwatch] found last, in nanoseconds; 0
// before.
var stopwatchNS, stopwatchTickNS atomic.Int64

// StopwatchCost returns how long one reading of the stopwatch takes.
func StopwatchCost() time.Duration { return tried(&stopwatchNS) }

// StopwatchTick returns how far apart the values of the stopwatch lie. Where a reading takes
// longer than a tick, it is how far apart two readings lie.
func StopwatchTick() time.Duration { return tried(&stopwatchTickNS) }

func tried(ns *atomic.Int64) time.Duration {
	if ns.Load() == 0 {
		TryStopwatch()
	}
	return time.Duration(ns.Load())
}

// TryStopwatch measures the cost and the tick of the stopwatch anew. Both depend on the
// kernel's clock source, which can change between two runs: with tsc they are tens of
// nanoseconds, with jiffies the tick is 4 ms.
func TryStopwatch() {
	const (
		readings = 100
		// steps is how many steps are looked at at least, and many while they take no longer
		// than enough: on a busy machine one of few is hardly ever undisturbed.
		steps  = 3
		many   = 100
		enough = int64(5 * time.Millisecond)
		// mostRepeats is how many readings a step may take: a stopwatch that stands still
		// is not waited for.
		mostRepeats = 1 << 22
	)
	cost, tick := int64(time.Hour), int64(time.Hour)
	for range 5 {
		start := Now()
		for range readings {
			Now()
		}
		cost = min(cost, Now()-start)
	}
	begun := Now()
	last := begun
	for i := 0; i < steps || i < many && last-begun < enough; i++ {
		at := Now()
		for read := 0; at == last && read < mostRepeats; read++ {
			at = Now()
		}
		if at > last {
			tick = min(tick, at-last)
		}
		last = at
	}
	AssumeStopwatch(time.Duration(max(1, cost/readings)), time.Duration(tick))
}

// AssumeStopwatch takes the stopwatch to have the cost and the tick, each above 0, until it
// is tried again.
func AssumeStopwatch(cost, tick time.Duration) {
	stopwatchNS.Store(int64(cost))
	stopwatchTickNS.Store(int64(tick))
}
