package verify

import (
	"fmt"
	"math"
	"slices"
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

// nothing stands for the value of a thread that has not read yet, or that lost its CPU.
const nothing = math.MinInt64

// A comparison is the result of a thread that compared its own reads with the values that the others had published.
type comparison struct {
	checks    int64
	backwards finding
	warps     int64
	// closest has for each other thread the min of the own value less the other's: negative if there was a warp, and
	// nothing if there was no comparison. It is nil if the thread compared nothing. Each has 8 bytes: all threads and
	// clocks together take 40 MB with 500 CPUs and 20 clocks.
	closest []int64
}

// across has the thread compare its reads of the clocks with earlier reads of the other threads. All threads read the
// same clock at the same time, so that a small warp shows, and each clock every millisecond: on a busy machine the CPUs
// hardly run at the same time for longer.
func across(benches []*bench, readers []clock.Reader, s *observe.Member) {
	const turnNS, burstNS = 50_000, 10_000
	var sides []*side
	able := 0
	for i, b := range benches {
		if b.published != nil {
			own := &b.parts[s.Index]
			own.closest = slices.Repeat([]int64{nothing}, len(b.published))
			sides = append(sides, &side{bench: b, part: own, reader: readers[i], previous: nothing, other: s.Index})
			if own.failure == nil {
				able++
			}
		}
	}
	for value := make([]int64, 1); able > 0; {
		c := sides[observe.Now()/turnNS%int64(len(sides))]
		reads, failed := 1+int(burstNS/c.pace.readNS), c.failure != nil
		if failed {
			reads = 0
		}
		c.begin()
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
			c.take(earlier, later)
		}
		over := s.Over()
		switch {
		case s.Moved:
			for _, c := range sides {
				c.published[s.Index].value.Store(nothing)
			}
			c.discard()
		case !failed:
			if c.failure = clock.Failure(c.reader); c.failure != nil {
				able--
				c.discard()
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

// A side checks one clock on one thread.
type side struct {
	*bench
	*part
	reader   clock.Reader
	previous int64
	other    int
	// before is the comparison before the burst of reads, and changed are the distances that the burst changed, before
	// it did. On a machine with many CPUs, a copy of all distances would take as much memory as they do.
	before  comparison
	changed []change
}

// A change is the closest value of another thread before a burst changed it.
type change struct {
	other   int
	closest int64
}

func (c *side) begin() { c.before, c.changed = c.comparison, c.changed[:0] }

func (c *side) discard() {
	for _, was := range slices.Backward(c.changed) {
		c.closest[was.other] = was.closest
	}
	c.comparison, c.changed = c.before, nil
}

// take takes a value that the thread read after it had loaded the value that the other thread read before.
func (c *side) take(was, later int64) {
	if later < c.previous {
		c.backwards.saw(c.ns(c.previous - later))
	}
	c.previous = later
	if was == nothing {
		return
	}
	c.checks++
	ahead, closest := later-was, &c.closest[c.other]
	if ahead < 0 {
		c.warps++
	}
	if *closest == nothing || ahead < *closest {
		c.changed = append(c.changed, change{c.other, *closest})
		*closest = ahead
	}
}

// compared fills in the result from the comparisons of the threads.
func (b *bench) compared(members []*observe.Member, wentBack bool) {
	a := &Across{}
	sees, warps, worst := int64(0), int64(0), int64(0)
	var cpu, earlier int
	for _, s := range members {
		own := &b.parts[s.Index]
		a.Checks += own.checks
		warps += own.warps
		for _, other := range members {
			if own.closest == nil || own.closest[other.Index] == nothing {
				continue
			}
			closest := own.closest[other.Index]
			a.Pairs++
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
	case worst < 0 && wentBack && b.clock.Kind == clock.Wall:
		// The clock was set back for all CPUs, so the others' values are from before.
	case worst < 0:
		b.fault(ClockFault{Kind: FaultWarp, Count: warps, WorstNS: b.ns(-worst), CPU: number(cpu),
			EarlierCPU: number(earlier)})
	case a.Pairs == all:
		// An equal value is not a warp, so the smallest detectable warp is a unit larger. A coarse clock may be behind by
		// less than a tick in every comparison.
		if a.SmallestWarpNS = b.ns(sees + 1); b.pace.coarse {
			a.SmallestWarpNS = max(a.SmallestWarpNS, b.pace.tickNS, b.into.TickNS)
		}
	}
}
