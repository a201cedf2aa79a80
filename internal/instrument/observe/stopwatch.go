package observe

import (
	"sync/atomic"
	"time"
)

// stopwatchNS and stopwatchTickNS are the last results of [TryStopwatch], in nanoseconds; 0 before the first.
var stopwatchNS, stopwatchTickNS atomic.Int64

// StopwatchCost returns how long one reading of the stopwatch takes.
func StopwatchCost() time.Duration { return tried(&stopwatchNS) }

// StopwatchTick returns the resolution of the stopwatch. If a reading takes longer than a
// tick, it is the distance of two readings.
func StopwatchTick() time.Duration { return tried(&stopwatchTickNS) }

// SliceOf returns the span of a slice that is timed by itself: the usual one, or longer if the stopwatch is slow or
// coarse. 300 readings or 5 ticks make a reading negligible.
func SliceOf(usual time.Duration) time.Duration {
	return max(usual, 300*StopwatchCost(), 5*StopwatchTick())
}

// Exact returns whether the duration of a single slice is exact enough to use: one tick is at most 0.5 % of it. If a
// reading takes longer than a tick, the tick appears as long as a reading.
func Exact(slice time.Duration) bool { return slice >= 200*StopwatchTick() }

func tried(ns *atomic.Int64) time.Duration {
	if ns.Load() == 0 {
		TryStopwatch()
	}
	return time.Duration(ns.Load())
}

// TryStopwatch measures the cost and the tick of the stopwatch again. Both depend on the kernel's clock source, which
// can change between two runs: with tsc they are tens of nanoseconds, with jiffies the tick is 4 ms.
func TryStopwatch() {
	const (
		readings = 100
		// fewest is the min number of steps, and least the min time: on a busy machine hardly any of a few short steps
		// is undisturbed. Every usable stopwatch makes fewest steps within most.
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
	tick := time.Hour // if it stands still
	if steps.Smallest > 0 {
		tick = time.Duration(steps.Smallest)
	}
	AssumeStopwatch(time.Duration(max(1, cost/readings)), tick)
}

// stopwatch is the stopwatch as a reader of a clock.
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

// AssumeStopwatch sets the cost and the tick of the stopwatch, each above 0, until the next TryStopwatch.
func AssumeStopwatch(cost, tick time.Duration) {
	stopwatchNS.Store(int64(cost))
	stopwatchTickNS.Store(int64(tick))
}
