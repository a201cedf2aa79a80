package profile

import (
	"runtime"
	"slices"
	"time"
	"unsafe"

	"github.com/timebench/timebench/internal/instrument/perfevent"
	"golang.org/x/sys/unix"
)

// rates are the rates to choose from: primes, of which each is about three quarters of the one before. With fewer
// samples a share would be too uncertain.
var rates = []int{DefaultRate, 751, 563, 421, 317, 239}

// mostTaken is the part of the CPU time of a program that its samples should take at most. With the turns of the tracker, and
// with what a sample leaves in the caches, that makes less than a hundredth.
const mostTaken = 0.008

// rateFor returns the largest rate at which samples that take so long each take at most mostTaken of the CPU time. If
// none does, it returns the least. 0 ns is unknown.
func rateFor(sampleNS float64) int {
	for _, rate := range rates {
		if sampleNS*float64(rate) <= mostTaken*1e9 {
			return rate
		}
	}
	return rates[len(rates)-1]
}

// The turns in which samples are timed. The quickest of them is the one that the rest of the machine disturbed least.
const (
	timedTurns = 5
	timedTime  = 5 * time.Millisecond
	timedRate  = 5000
	// leastTimed is the least number of samples of a turn. A thread that waits for a CPU has fewer.
	leastTimed = 10
)

// sampleNS returns the time in ns that a sample takes from a program; 0 if it is not known.
func sampleNS() float64 { return timedSample(ownEvents) }

// accountedNS returns how much of that the kernel accounts to the program, in ns; 0 if it is not known. Kernels with
// CONFIG_IRQ_TIME_ACCOUNTING account interrupts to no program.
func accountedNS() float64 {
	return timedSample(func() (*perfevent.Events, func() int64) {
		events, _ := ownEvents()
		return events, func() int64 { return callNS(unix.CLOCK_THREAD_CPUTIME_ID) }
	})
}

// timedSample returns what a sample takes, in ns by a clock; 0 if it is not known. This thread samples itself, and reads
// the clock again and again: each sample makes one of the steps of the clock larger by what it takes.
func timedSample(begin func() (*perfevent.Events, func() int64)) float64 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	steps := make([]int64, 1<<17)
	clear(steps) // so that no page fault makes a step larger
	least := 0.0
	for range timedTurns {
		least = quietest(least, timedTurn(steps[:0], begin))
	}
	return least
}

// quietest returns the smaller of two times of a sample, of which 0 is unknown.
func quietest(a, b float64) float64 {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

// timedTurn returns what a sample of this thread takes, in ns; 0 if there are too few. The steps go into a slice, as far as it
// has room. The largest are those of the samples, and their median is not disturbed by the few that another interrupt made.
func timedTurn(steps []int64, begin func() (*perfevent.Events, func() int64)) float64 {
	events, clock := begin()
	if events == nil {
		return 0
	}
	started := clock()
	for last := started; last-started < int64(timedTime) && len(steps) < cap(steps); {
		now := clock()
		steps = append(steps, now-last)
		last = now
	}
	samples := 0
	failed := events.Stop() != nil || events.Read(func(r *perfevent.Record) {
		if r.Kind == perfevent.Sample {
			samples++
		}
	}) != nil
	if events.Close() != nil || failed || samples < leastTimed || 2*samples > len(steps) {
		return 0
	}
	slices.Sort(steps)
	return float64(steps[len(steps)-1-samples/2] - steps[len(steps)/2])
}

// ownEvents returns events that sample this thread, and a clock for it, which returns ns: one that enters the kernel, so that samples have
// its callchain, or one that does not where samples of the kernel are not allowed. The events are nil if none are.
func ownEvents() (*perfevent.Events, func() int64) {
	for _, excluded := range []bool{false, true} {
		events := perfevent.New(perfevent.Options{RateHz: timedRate, ExcludeKernel: excluded})
		if events.Open(unix.Gettid(), perfevent.AllCPUs) != nil {
			_ = events.Close() // it has none
			continue
		}
		if excluded {
			start := time.Now()
			return events, func() int64 { return int64(time.Since(start)) }
		}
		return events, monotonicCallNS
	}
	return nil, nil
}

// monotonicCallNS returns CLOCK_MONOTONIC in ns by a system call.
func monotonicCallNS() int64 { return callNS(unix.CLOCK_MONOTONIC) }

// callNS returns a clock in ns by a system call; 0 if there is no such clock. The call is raw: the work of the scheduler of Go
// around a call varies.
func callNS(clock uintptr) int64 {
	var at unix.Timespec
	if _, _, errno := unix.RawSyscall(unix.SYS_CLOCK_GETTIME, clock, uintptr(unsafe.Pointer(&at)), 0); errno != 0 {
		return 0
	}
	return at.Nano()
}
