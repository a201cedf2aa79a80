package watch

import (
	"time"

	"github.com/prometheus/procfs"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/vmclock"
)

const suspendSeenBy = "CLOCK_BOOTTIME counted it, CLOCK_MONOTONIC did not"

// accountEvery is how often waited is called while no sleep is late: it takes longer than the rest of a beat. The time
// that threads waited since then is subtracted from the length of a stall.
const accountEvery = 10 * time.Second

func monotonic() int64 { return observe.Now() }

func now() moment {
	const few = 3 // a thread can lose its CPU between two readings
	m := moment{
		at: time.Now(), boot: observe.TightestOf(few, monotonic, observe.SinceBoot).Bracket, wall: observe.WallClock(),
		countsSuspend: true,
	}
	if clock := vmclock.Read("/", false); clock != nil {
		m.marker, m.generation = clock.DisruptionMarker, clock.Generation
	}
	return m
}

// waited returns how long the threads of this process were ready to run and had no CPU, in nanoseconds; -1 if
// the kernel does not account for that (CONFIG_SCHED_INFO). A thread that ends takes its part with it, and the
// sum is then smaller than before.
func waited() int64 {
	self, err := procfs.Self() // in the /proc of another PID namespace this process has another number
	if err != nil {
		return -1
	}
	threads, err := procfs.AllThreads(self.PID)
	if err != nil {
		return -1
	}
	sum, known := int64(0), false
	for _, thread := range threads {
		if stat, err := thread.Schedstat(); err == nil { // a thread that has just ended waited for nothing
			sum, known = sum+int64(stat.WaitingNanoseconds), true
		}
	}
	if !known {
		return -1
	}
	return sum
}
