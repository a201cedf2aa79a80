package entry

import (
	"math"
	"time"
	"unsafe"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/native"
	"github.com/timebench/timebench/internal/machine/thread"
	"golang.org/x/sys/unix"
)

const (
	// calling is the CPU time for which each function is called, to find the kind of that time. Most kernels account
	// CPU time only at each tick, of 1 to 10 ms.
	calling = 60 * time.Millisecond
	// longest is the max wall time of these calls: other programs may have the CPUs.
	longest = 8 * calling
	// chunk is the number of reads in a call. A call cannot be interrupted.
	chunk = 256
	// minLoop is the min time of reads between two checks of the time. With the clock source hpet, such a check is a
	// system call of several microseconds: frequent checks would be most of the system time of a loop that makes no
	// system call.
	minLoop = 2 * time.Millisecond
	// farLess is the share of the cost of a system call below which a read makes none. On a busy machine one system
	// call cost 1.9 times as much as 100 ms before. Above the share, the cost proves nothing: a read that traps to a
	// hypervisor can cost as much.
	farLess = 1.0 / 3
	// minShare is the share of system time that a loop of system calls must have, so that the accounting can be
	// trusted. On real machines it is above 0.6. Under a user-mode emulator it is lower, and can be almost 0.
	minShare = 0.4
)

// An expense is the cost of reads; zero if they failed.
type expense struct {
	systemShare float64 // of their CPU time that is system time
	readNS      float64 // wall time of one read, minimum
	// unclear is whether there was too little CPU time for systemShare: a tick during a switch to another program is a
	// large share of a few ticks.
	unclear bool
}

// A scale is the cost of two calls of a known kind.
type scale struct {
	call  expense // a system call
	empty expense // a function that returns at once
}

func calibrate() scale {
	return scale{
		call: spend(systemCalls[0].read, actual, longest),
		empty: spend(func(_ unsafe.Pointer, n int) int {
			native.CallNothing(n)
			return 0
		}, actual, longest),
	}
}

// unclear reports whether the kind of CPU time is inconclusive for all reads.
func (s scale) unclear() bool { return s.call.unclear || s.empty.unclear }

func (s scale) patience() time.Duration {
	if s.unclear() { // only the cost counts
		return calling
	}
	return longest
}

// judge compares a read with the scale: by the kind of its CPU time, if the accounting of the
// kernel can distinguish an empty call from a system call; otherwise by its cost.
func (s scale) judge(read expense) Verdict {
	if read.readNS == 0 {
		return Verdict{Enters: result.Unknown}
	}
	if !s.unclear() && !read.unclear && s.call.systemShare >= minShare && s.empty.systemShare <= s.call.systemShare/4 {
		const by = "cpu time"
		switch {
		case read.systemShare >= s.call.systemShare/2:
			return Verdict{result.Always, by}
		case read.systemShare <= s.call.systemShare/4:
			return Verdict{result.Never, by}
		}
	}
	if read.readNS <= farLess*s.call.readNS {
		return Verdict{result.Never, "cost"}
	}
	return Verdict{Enters: result.Unknown}
}

// A stopwatch measures the time of reads.
type stopwatch struct {
	wall func() time.Time // may enter the kernel
	// cpu returns the CPU time of the calling thread.
	cpu func() (user, system time.Duration, err error)
}

// actual is the stopwatch of this machine.
var actual = stopwatch{wall: time.Now, cpu: func() (user, system time.Duration, err error) {
	var used unix.Rusage
	err = unix.Getrusage(unix.RUSAGE_THREAD, &used)
	return time.Duration(used.Utime.Nano()), time.Duration(used.Stime.Nano()), err
}}

// spend makes reads on its own thread, and returns their cost and the kind of their CPU time. It takes up to patience
// if other programs have the CPUs.
func spend(read Read, watch stopwatch, patience time.Duration) expense {
	var spent expense
	// Without a thread the expense is zero, which judge takes as unknown.
	_ = thread.Run(thread.Any, func() {
		buffer := new([2]int64)
		userBefore, systemBefore, err := watch.cpu()
		if err != nil {
			return
		}
		readNS := math.Inf(1)
		begun := watch.wall()
		for last, chunks := begun, 1; ; {
			for range chunks {
				if int32(read(unsafe.Pointer(buffer), chunk)) < 0 && buffer[0] == 0 {
					return
				}
			}
			at := watch.wall()
			took := at.Sub(last)
			readNS = min(readNS, max(float64(took), 1)/float64(chunks*chunk))
			last = at
			if took < minLoop {
				chunks *= 2
			}
			if at.Sub(begun) < calling { // no CPU time is longer than the wall time
				continue
			}
			user, system, err := watch.cpu()
			if err != nil {
				return
			}
			user, system = user-userBefore, system-systemBefore
			enough := user+system >= calling
			if enough || at.Sub(begun) >= patience {
				spent = expense{float64(system) / float64(max(1, user+system)), readNS, !enough}
				return
			}
		}
	})
	return spent
}
