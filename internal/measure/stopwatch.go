package measure

import (
	"sync/atomic"
	"time"
)

// What a reading of the stopwatch took and how far its values lay apart when it was
// last tried, in nanoseconds; 0 before. Both depend on the kernel's clock source, which
// can change between two runs: with tsc they are tens of nanoseconds, with jiffies the
// values lie 4 ms apart.
var stopwatchNS, stopwatchTickNS atomic.Int64

// Stopwatch returns the nanoseconds since some start by the clock that times every
// measurement here: of those that are never set back the finest. On Windows Go's own
// time steps by up to 15 ms.
func Stopwatch() int64 { return stopwatch() }

// tryStopwatch finds both out anew.
func tryStopwatch() {
	const (
		readings = 100
		// steps is how many steps are looked at at least, and many while they take no longer
		// than enough: on a busy machine one of few is hardly ever undisturbed.
		steps  = 3
		many   = 100
		enough = int64(5 * time.Millisecond)
		// patience is how many readings a step may take: a stopwatch that stands still
		// is not waited for.
		patience = 1 << 22
	)
	cost, tick := int64(time.Hour), int64(time.Hour)
	for range 5 {
		start := stopwatch()
		for range readings {
			stopwatch()
		}
		cost = min(cost, stopwatch()-start)
	}
	begun := stopwatch()
	last := begun
	for i := 0; i < steps || i < many && last-begun < enough; i++ {
		now := stopwatch()
		for read := 0; now == last && read < patience; read++ {
			now = stopwatch()
		}
		if now > last {
			tick = min(tick, now-last)
		}
		last = now
	}
	stopwatchNS.Store(max(1, cost/readings))
	stopwatchTickNS.Store(tick)
}

// stopwatchCost is what one reading of the stopwatch takes.
func stopwatchCost() time.Duration { return tried(&stopwatchNS) }

// stopwatchTick is how far apart the stopwatch's values lie.
func stopwatchTick() time.Duration { return tried(&stopwatchTickNS) }

func tried(ns *atomic.Int64) time.Duration {
	if ns.Load() == 0 {
		tryStopwatch()
	}
	return time.Duration(ns.Load())
}
