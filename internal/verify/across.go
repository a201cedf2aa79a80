package verify

import (
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/observe"
	"github.com/timebench/timebench/internal/thread"
)

// A published is the last value that a CPU read. One thread stores it, the others load
// it: the store is made after the read and carries its value, so whoever sees the value
// knows that it was read before.
type published struct {
	value atomic.Int64
	_     [thread.CacheLine - 8]byte
}

// nothing is the value of a CPU that has not read yet, or is no longer there.
const nothing = math.MinInt64

// A comparison is what one thread found when it held its own reads against what the
// others had published.
type comparison struct {
	checks    int64
	backwards finding
	// closest is by how much the own value was above the other CPU's at least, by seat;
	// below 0 where there was a warp, nothing where there was no comparison.
	closest []int64
	// warps counts those by seat.
	warps []int64
}

func newComparison(seats int) *comparison {
	c := &comparison{closest: make([]int64, seats), warps: make([]int64, seats)}
	for i := range c.closest {
		c.closest[i] = nothing
	}
	return c
}

// take copies what another holds.
func (c *comparison) take(from *comparison) {
	c.checks, c.backwards = from.checks, from.backwards
	copy(c.closest, from.closest)
	copy(c.warps, from.warps)
}

// across has every CPU hold what it reads against what the others read before.
func (b *bench) across(span time.Duration) {
	// looks is how many reads are made between two looks at whether it is over.
	const looks = 1024
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
			for range looks {
				if other++; other == len(slots) {
					other = 0
				}
				if other == s.Index {
					continue
				}
				earlier := slots[other].value.Load()
				later := clock.ReadBehind(s.Reader, value)
				if (later < previous || later < earlier) && clock.Failure(s.Reader) != nil {
					continue // nothing was read
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

// compared makes the result of what the threads found.
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
		b.into.Reason = fmt.Sprintf("%d of %d pairs of CPUs were compared; take a longer time", a.Pairs, all)
	}
	switch {
	case warps > 0 && b.wentBack && b.clock.Kind == clock.Wall:
		// It was set back, for all CPUs: the others' values are from before.
	case warps > 0:
		b.fault(ClockFault{Kind: FaultWarp, Count: warps, WorstNS: b.ns(-worst), CPU: number(cpu), EarlierCPU: number(earlier)})
	case a.Pairs == all:
		// A value that is alike is no warp: it takes one unit more.
		a.SeesNS = b.ns(sees + 1)
	}
}
