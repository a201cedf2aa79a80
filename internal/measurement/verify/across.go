package verify

import (
	"fmt"
	"math"
	"sync/atomic"

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

// nothing is the value of a CPU without a read, which the run may have lost.
const nothing = math.MinInt64

// A comparison is the result of a thread that compared its own reads with the values that the others had published.
type comparison struct {
	checks    int64
	backwards finding
	// closest is, by member, the min of the own value less the value of the other CPU: negative if there
	// was a warp, and nothing if there was no comparison.
	closest []int64
	// warps is the number of warps, by member.
	warps []int64
}

func newComparison(members int) *comparison {
	c := &comparison{closest: make([]int64, members), warps: make([]int64, members)}
	for i := range c.closest {
		c.closest[i] = nothing
	}
	return c
}

func (c *comparison) copy(from *comparison) {
	c.checks, c.backwards = from.checks, from.backwards
	copy(c.closest, from.closest)
	copy(c.warps, from.warps)
}

// across has the thread compare its reads of the clocks with earlier reads of the other threads. All threads read the
// same clock at the same time, so that a small warp shows, and each clock every millisecond: on a busy machine the CPUs
// hardly run at the same time for longer.
func across(benches []*bench, readers []clock.Reader, s *observe.Member) {
	const turnNS, burstNS = 50_000, 10_000
	type side struct {
		*bench
		reader   clock.Reader
		now      *comparison
		previous int64
		other    int
	}
	var sides []*side
	able := 0
	for i, b := range benches {
		if b.published != nil {
			sides = append(sides, &side{b, readers[i], newComparison(len(b.published)), nothing, s.Index})
			if b.failures[s.Index] == nil {
				able++
			}
		}
	}
	for value := make([]int64, 1); able > 0; {
		c := sides[observe.Now()/turnNS%int64(len(sides))]
		reads, failed := 1+int(burstNS/c.pace.readNS), c.failures[s.Index] != nil
		if failed {
			reads = 0
		}
		for range reads {
			if c.other++; c.other == len(c.published) {
				c.other = 0
			}
			if c.other == s.Index {
				continue
			}
			earlier := c.published[c.other].value.Load()
			later := clock.ReadBehind(c.reader, value)
			if (later < c.previous || later < earlier) && clock.Failure(c.reader) != nil {
				continue // the clock was not read
			}
			c.published[s.Index].value.Store(later)
			c.now.take(c.other, earlier, later, c.previous, c.bench)
			c.previous = later
		}
		over := s.Over()
		switch {
		case s.Moved:
			for _, c := range sides {
				c.published[s.Index].value.Store(nothing)
			}
		case !failed:
			if c.failures[s.Index] = clock.Failure(c.reader); c.failures[s.Index] != nil {
				able--
			} else {
				c.comparisons[s.Index].copy(c.now)
			}
		}
		if over {
			return
		}
		// A slow read takes as long as a lost CPU.
		if !s.Ran() && c.pace.readNS < float64(observe.Lost)/4 {
			s.Meet()
		}
	}
}

// take takes a value that the thread read after it had loaded an earlier value of the other thread.
func (c *comparison) take(other int, earlier, later, previous int64, b *bench) {
	if later < previous {
		c.backwards.saw(b.ns(previous - later))
	}
	if earlier == nothing {
		return
	}
	c.checks++
	ahead := later - earlier
	if c.closest[other] == nothing || ahead < c.closest[other] {
		c.closest[other] = ahead
	}
	if ahead < 0 {
		c.warps[other]++
	}
}

// compared fills in the result from the comparisons of the threads.
func (b *bench) compared(members []*observe.Member, wentBack bool) {
	a := &Across{}
	sees, warps, worst := int64(0), int64(0), int64(0)
	var cpu, earlier int
	for _, s := range members {
		own := b.comparisons[s.Index]
		a.Checks += own.checks
		for _, other := range members {
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
	all := len(members) * (len(members) - 1)
	if a.Pairs < all && b.into.Reason == "" {
		b.into.Reason = fmt.Sprintf("%d of %d comparisons of one CPU with another were made; use a longer --duration",
			a.Pairs, all)
	}
	switch {
	case warps > 0 && wentBack && b.clock.Kind == clock.Wall:
		// The clock was set back for all CPUs, so the others' values are from before.
	case warps > 0:
		b.fault(ClockFault{Kind: FaultWarp, Count: warps, WorstNS: b.ns(-worst), CPU: number(cpu),
			EarlierCPU: number(earlier)})
	case a.Pairs == all:
		// An equal value is not a warp, so the smallest detectable warp is a unit larger.
		a.SmallestWarpNS = b.ns(sees + 1)
	}
}
