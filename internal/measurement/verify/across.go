package verify

import (
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/thread"
)

// A published is the last value that a CPU read. One thread stores it, the others load it. The store comes after the
// read and carries its value, so a thread that loads the value knows that it was read before.
type published struct {
	value atomic.Int64
	_     [thread.CacheLine - 8]byte
}

// nothing is the value of a CPU that has not read yet, or that is lost.
const nothing = math.MinInt64

// A comparison is the result of one thread that compared its own reads with the values that the others had published.
type comparison struct {
	checks    int64
	backwards finding
	// closest is, by seat, the min of the own value less the other CPU's: negative if there
	// was a warp, and nothing if there was no comparison.
	closest []int64
	// warps is the number of warps, by seat.
	warps []int64
}

func newComparison(seats int) *comparison {
	c := &comparison{closest: make([]int64, seats), warps: make([]int64, seats)}
	for i := range c.closest {
		c.closest[i] = nothing
	}
	return c
}

func (c *comparison) take(from *comparison) {
	c.checks, c.backwards = from.checks, from.backwards
	copy(c.closest, from.closest)
	copy(c.warps, from.warps)
}

// across has every CPU compare its reads with earlier reads of the others.
func (b *bench) across(span time.Duration) {
	// readsPerCheck is the number of reads between two calls of Over.
	const readsPerCheck = 1024
	slots := make([]published, len(b.cpus))
	found := make([]*comparison, len(b.cpus))
	for i := range slots {
		slots[i].value.Store(nothing)
		found[i] = newComparison(len(b.cpus))
	}
	seats := b.run(span, func(s *observe.Seat) {
		kept, now := found[s.Index], newComparison(len(b.cpus))
		own, value := &slots[s.Index], make([]int64, 1)
		previous, other := int64(nothing), s.Index
		for {
			for range readsPerCheck {
				if other++; other == len(slots) {
					other = 0
				}
				if other == s.Index {
					continue
				}
				earlier := slots[other].value.Load()
				later := clock.ReadBehind(s.Reader, value)
				if (later < previous || later < earlier) && clock.Failure(s.Reader) != nil {
					continue // the CPU has not read yet
				}
				own.value.Store(later)
				if later < previous {
					now.backwards.saw(b.ns(previous - later))
				}
				previous = later
				if earlier == nothing {
					continue
				}
				now.checks++
				ahead := later - earlier
				if now.closest[other] == nothing || ahead < now.closest[other] {
					now.closest[other] = ahead
				}
				if ahead < 0 {
					now.warps[other]++
				}
			}
			over := s.Over()
			if s.Moved {
				own.value.Store(nothing)
			} else if s.Err == nil {
				kept.take(now)
			}
			if over {
				return
			}
		}
	})
	b.compared(seats, found)
}

// compared fills in the result from the comparisons of the threads.
func (b *bench) compared(seats []*observe.Seat, found []*comparison) {
	a := &Across{}
	sees, warps, worst := int64(0), int64(0), int64(0)
	var cpu, earlier int
	for _, s := range seats {
		own := found[s.Index]
		a.Checks += own.checks
		b.wentBack = b.wentBack || own.backwards.count > 0
		b.found(FaultBackwards, own.backwards, s.CPU)
		for _, other := range seats {
			closest := own.closest[other.Index]
			if closest == nothing {
				continue
			}
			a.Pairs++
			warps += own.warps[other.Index]
			sees = max(sees, closest)
			if closest < worst {
				worst, cpu, earlier = closest, s.CPU, other.CPU
			}
		}
	}
	if a.Pairs == 0 {
		return
	}
	b.into.Across = a
	all := len(seats) * (len(seats) - 1)
	if a.Pairs < all && b.into.Reason == "" {
		b.into.Reason = fmt.Sprintf("%d of %d comparisons of one CPU with another were made; take a longer time", a.Pairs, all)
	}
	switch {
	case warps > 0 && b.wentBack && b.clock.Kind == clock.Wall:
		// The clock was set back, for all CPUs: the others' values are older than that.
	case warps > 0:
		b.fault(ClockFault{Kind: FaultWarp, Count: warps, WorstNS: b.ns(-worst), CPU: number(cpu), EarlierCPU: number(earlier)})
	case a.Pairs == all:
		// An equal value is no warp, so the next unit is the min that shows one.
		a.SeesNS = b.ns(sees + 1)
	}
}
