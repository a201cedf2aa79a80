package verify

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/result"
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
	seats := b.run(span, func(s *seat) {
		kept, now := found[s.index], newComparison(len(b.cpus))
		own, value := &slots[s.index], make([]int64, 1)
		previous, other := int64(nothing), s.index
		for {
			for range looks {
				if other++; other == len(slots) {
					other = 0
				}
				if other == s.index {
					continue
				}
				earlier := slots[other].value.Load()
				later := clock.ReadBehind(s.reader, value)
				own.value.Store(later)
				if later < previous {
					now.backwards.saw(b.ns(previous - later))
				}
				previous = later
				if earlier == nothing {
					continue
				}
				now.checks++
				if ahead := later - earlier; now.closest[other] == nothing || ahead < now.closest[other] {
					now.closest[other] = ahead
				}
				if later < earlier {
					now.warps[other]++
				}
			}
			over := s.over()
			if s.lost {
				own.value.Store(nothing)
			} else if s.err == nil {
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
func (b *bench) compared(seats []*seat, found []*comparison) {
	a := &result.Across{}
	sees, warps, worst := int64(0), int64(0), int64(0)
	var cpu, earlier int
	for i, s := range seats {
		a.Checks += found[i].checks
		b.found(result.FaultBackwards, found[i].backwards, s.cpu)
		for j, closest := range found[i].closest {
			if closest == nothing {
				continue
			}
			a.Pairs++
			warps += found[i].warps[j]
			sees = max(sees, closest)
			if closest < worst {
				worst, cpu, earlier = closest, s.cpu, seats[j].cpu
			}
		}
	}
	if a.Pairs == 0 {
		return
	}
	b.into.Across = a
	if warps > 0 {
		b.fault(result.ClockFault{Kind: result.FaultWarp, Count: warps, WorstNS: b.ns(-worst), CPU: number(cpu), EarlierCPU: number(earlier)})
		return
	}
	// Values that were alike would show a warp of one unit.
	a.SeesNS = b.ns(max(sees, 1))
}
