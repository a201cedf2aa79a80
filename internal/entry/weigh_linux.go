//go:build amd64 || arm64

package entry

import (
	"math"
	"time"
	"unsafe"

	"github.com/timebench/timebench/internal/native"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/thread"
	"golang.org/x/sys/unix"
)

const (
	// weighing is how long reads are made to see which kind of CPU time they
	// spend. Most kernels look only at each tick, of 1 to 10 ms.
	weighing = 60 * time.Millisecond
	// chunk is how many reads one call makes, which cannot be interrupted.
	chunk = 256
	// between is how long reads are made at least between two looks at the clock. With the
	// clock source hpet a look is a system call of some microseconds: looks that come often
	// would be most of the system time of a loop that makes none itself.
	between = 2 * time.Millisecond
	// A read costs "far less" than a system call, and has made none, below this
	// share. Above it nothing follows: a read that traps to a hypervisor is as dear.
	farLess = 0.6
	// leastShare is the share of system time that a loop of system calls must show
	// for the accounting to be believed. On real machines it is above 0.6; under an
	// emulator of user mode it is less, and a second look may find hardly any.
	leastShare = 0.4
)

// An expense is what reads cost: nothing where they could not be made.
type expense struct {
	systemShare float64 // of their CPU time that is system time
	readNS      float64 // wall time of one, at the least
}

// A scale is what calls cost of which the kind is known.
type scale struct {
	call  expense // a system call
	empty expense // a function that returns at once
}

func calibrate() scale {
	return scale{
		call: spend(doors[0].read, time.Now),
		empty: spend(func(_ unsafe.Pointer, n int) int {
			native.CallNothing(n)
			return 0
		}, time.Now),
	}
}

// judge holds a read against the scale: by the kind of its CPU time, where the
// kernel's accounting tells an empty call from a system call, and else by its cost.
func (s scale) judge(read expense) Verdict {
	if read.readNS == 0 {
		return Verdict{Enters: result.Unknown}
	}
	if s.call.systemShare >= leastShare && s.empty.systemShare <= s.call.systemShare/4 {
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

// spend makes reads on a thread of its own and sees by getrusage(2) what kind of CPU
// time they spend. now is [time.Now], which may enter the kernel.
func spend(read Read, now func() time.Time) expense {
	var spent expense
	// A thread that cannot be had spends nothing, which tells nothing.
	_ = thread.Run(thread.Any, func() {
		buffer := new([2]int64)
		var before, after unix.Rusage
		if unix.Getrusage(unix.RUSAGE_THREAD, &before) != nil {
			return
		}
		readNS := math.Inf(1)
		begun := now()
		for last, chunks := begun, 1; last.Sub(begun) < weighing; {
			for range chunks {
				if int32(read(unsafe.Pointer(buffer), chunk)) < 0 && buffer[0] == 0 {
					return
				}
			}
			at := now()
			took := at.Sub(last)
			readNS = min(readNS, max(float64(took), 1)/float64(chunks*chunk))
			last = at
			if took < between {
				chunks *= 2
			}
		}
		if unix.Getrusage(unix.RUSAGE_THREAD, &after) != nil {
			return
		}
		user := after.Utime.Nano() - before.Utime.Nano()
		system := after.Stime.Nano() - before.Stime.Nano()
		if user+system > 0 {
			spent = expense{float64(system) / float64(user+system), readNS}
		}
	})
	return spent
}
