package profile

import (
	"runtime"
	"slices"
	"time"

	"github.com/timebench/timebench/internal/perfevent"
	"golang.org/x/sys/unix"
)

// rates are the rates to choose from: primes, of which each is about three quarters of the one before.
var rates = []int{DefaultRate, 751, 563, 421, 317, 239, 179, 137, 101, 79, 61}

// mostTaken is the part of the CPU time of a program that its samples may take.
const mostTaken = 0.01

// rateFor returns the largest rate at which samples that take so long each take at most mostTaken of the CPU time, and the
// least rate if none does. 0 ns is unknown.
func rateFor(sampleNS float64) int {
	for _, rate := range rates {
		if sampleNS*float64(rate) <= mostTaken*1e9 {
			return rate
		}
	}
	return rates[len(rates)-1]
}

// The samples that are timed: enough of them in a short time.
const (
	timedRate = 5000
	timedTime = 25 * time.Millisecond
)

// sampleNS returns the CPU time in ns that a sample takes from a program that makes system calls; 0 if it is not known.
// It samples its own thread, which reads the time again and again: each sample makes one of the steps of the time larger
// by what it takes. The largest steps are those of the samples, and their median is not disturbed by the few that
// another interrupt made.
func sampleNS() float64 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	steps := make([]int64, 1<<17) // a step is at least as long as a system call
	clear(steps)                  // so that no page fault makes a step larger
	steps = steps[:0]
	used := clockNS(unix.CLOCK_THREAD_CPUTIME_ID)
	events := ownEvents()
	if events == nil {
		return 0
	}
	started := clockNS(unix.CLOCK_MONOTONIC)
	for last := started; last-started < int64(timedTime) && len(steps) < cap(steps); {
		now := clockNS(unix.CLOCK_MONOTONIC)
		steps = append(steps, now-last)
		last = now
	}
	used = clockNS(unix.CLOCK_THREAD_CPUTIME_ID) - used
	if events.Close() != nil {
		return 0
	}
	slices.Sort(steps)
	samples := int(used * timedRate / 1e9)
	if samples <= 0 || samples > len(steps) {
		return 0
	}
	return float64(steps[len(steps)-1-samples/2] - steps[len(steps)/2])
}

// ownEvents returns events that sample this thread; nil if this process may not.
func ownEvents() *perfevent.Events {
	for _, excluded := range []bool{false, true} {
		events := perfevent.New(perfevent.Options{RateHz: timedRate, ExcludeKernel: excluded})
		if events.Open(unix.Gettid(), perfevent.AllCPUs) == nil {
			return events
		}
		_ = events.Close() // it has none
	}
	return nil
}

// clockNS returns the time of a clock in ns by a system call, so that most samples are in the kernel and have its
// callchain; 0 if there is no such clock.
func clockNS(id int32) int64 {
	var at unix.Timespec
	if unix.ClockGettime(id, &at) != nil {
		return 0
	}
	return at.Nano()
}
