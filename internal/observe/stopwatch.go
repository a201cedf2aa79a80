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
		// fewest is how many steps are looked at, and least for how long where they are
		// short: on a busy machine one of few is hardly ever undisturbed. No stopwatch makes
		// so few steps in most.
		fewest = 3
		least  = 2 * time.Millisecond
		most   = time.Second
	)
	cost := int64(time.Hour)
	for range 5 {
		start := Now()
		stopwatch{}.Spin(readings)
		cost = min(cost, Now()-start)
	}
	var steps Steps
	steps.Watch(stopwatch{}, Watch{Values: readings, Enough: fewest, Least: least, Most: most}, Now)
	tick := time.Hour // it stands still
	if steps.Smallest > 0 {
		tick = time.Duration(steps.Smallest)
	}
	AssumeStopwatch(time.Duration(max(1, cost/readings)), tick)
}

// stopwatch reads the stopwatch as a clock is read.
type stopwatch struct{}

func (stopwatch) Spin(n int) {
	for range n {
		Now()
	}
}

func (stopwatch) Read(ticks []int64) {
	for i := range ticks {
		ticks[i] = Now()
	}
}

// AssumeStopwatch takes the stopwatch to have the cost and the tick, each above 0, until it
// is tried again.
func AssumeStopwatch(cost, tick time.Duration) {
	stopwatchNS.Store(int64(cost))
	stopwatchTickNS.Store(int64(tick))
}
