package entry

import (
	"math"
	"time"
	"unsafe"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/thread"
)

const (
	// farLess is the share of the cost of a system call below which a read makes none. Above it, the cost proves
	// nothing: a read that traps to a hypervisor can cost as much.
	farLess = 0.6
	// fastestCallNS is the min cost of a system call. Where it seems to cost less, the stopwatch is too coarse.
	fastestCallNS = 10
)

// judge returns the verdict on a read by its cost and the cost of a system call, in ns.
func judge(readNS, callNS float64) Verdict {
	if callNS < fastestCallNS || readNS == 0 || readNS > farLess*callNS {
		return Verdict{Enters: result.Unknown}
	}
	return Verdict{result.Never, "cost"}
}

// costNS returns the min wall time of a read of several loops, on a thread of its own; 0 if the read fails.
func costNS(read Read) (best float64) {
	const loops, reads, longest = 50, 2048, 20 * time.Millisecond
	// Without a thread the cost is 0, which judge takes as unknown.
	_ = thread.Run(thread.Any, func() {
		buffer, begun, least := new([2]int64), time.Now(), math.Inf(1)
		for i := 0; i < loops && (i == 0 || time.Since(begun) < longest); i++ {
			from := time.Now()
			for range 8 {
				if int32(read(unsafe.Pointer(buffer), reads/8)) < 0 && buffer[0] == 0 {
					return
				}
			}
			least = min(least, max(1, float64(time.Since(from)))/reads)
		}
		best = least
	})
	return best
}
