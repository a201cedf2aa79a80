// Package skew finds how far the CPUs' views of a clock are apart.
//
// Two CPUs exchange readings over a cache line that they share: one reads the clock and
// tells, the other sees it, reads the clock and answers, and the first sees the answer
// and reads again. The other's reading was certainly made between the first one's two, so
// its clock is ahead by its reading less their middle, give or take half of the round
// trip. The best of many round trips gives the estimate and its bound; the bound leaves
// out nothing, least of all that one way may be faster than the other.
//
// By the way that tells how long CPUs take to hear of each other.
package skew

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/observe"
	"github.com/timebench/timebench/internal/thread"
)

// MatrixCPUs is the most CPUs of which each is compared with each; of more the first is
// compared with all others.
const MatrixCPUs = 16

// Settings are how to compare.
type Settings struct {
	// Time is how long for all clocks and pairs together.
	Time time.Duration
	// CPUs are the CPUs that are compared, two at least; the first is the one that the
	// others are held against.
	CPUs []int
}

// rateSpan is how long the rate of a counter is watched that does not state it.
const rateSpan = 50 * time.Millisecond

// shortest is the least time for a pair: fewer rounds would hit no undisturbed one.
const shortest = 10 * time.Millisecond

// Run compares the CPUs by each clock. When ctx ends, what is known by then is the
// result. tell, which may be nil, hears how far it is.
func Run(ctx context.Context, clocks []clock.Clock, s Settings, tell func(done, total time.Duration)) Skew {
	if tell == nil {
		tell = func(time.Duration, time.Duration) {}
	}
	start := time.Now()
	const ours, runner = 2, 2 // the threads that spin, and what serves the run itself
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), ours+runner)))
	r := Skew{CPUs: s.CPUs, Clocks: []SkewedClock{}}
	lost := map[int]bool{}
	// A run that loses time takes longer rather than see next to nothing of the clocks that
	// are left.
	least := s.Time / time.Duration(2*max(1, len(clocks)))
	for i, c := range clocks {
		share := (s.Time - time.Since(start)) / time.Duration(len(clocks)-i)
		r.Clocks = append(r.Clocks, one(ctx, c, s.CPUs, max(share, least), lost))
		tell(time.Since(start), s.Time)
	}
	r.LostCPUs = slices.Sorted(maps.Keys(lost))
	r.DurationNS = int64(time.Since(start))
	return r
}

// one compares the CPUs by one clock.
func one(ctx context.Context, c clock.Clock, cpus []int, span time.Duration, lost map[int]bool) SkewedClock {
	compared := SkewedClock{ID: c.ID}
	unpinned := thread.Pinnable(cpus)
	switch err := clock.Readable(c); {
	case ctx.Err() != nil:
		compared.Reason = "interrupted before it was read"
	case err != nil:
		compared.Reason = err.Error()
	case unpinned != nil:
		compared.Reason = unpinned.Error()
	case c.Kind == clock.CPUTime:
		compared.Reason = "CPU time is a thread's or a process's, not a CPU's"
	default:
		compared.TicksPerSecond = observe.Hz(c, rateSpan)
	}
	if compared.TicksPerSecond == 0 {
		if compared.Reason == "" {
			compared.Reason = "how fast it ticks could not be told"
		}
		return compared
	}
	nsPerTick := 1e9 / compared.TicksPerSecond
	// A value is the last whole tick, and that may be longer than the unit of the value.
	tickNS := max(nsPerTick, c.ReportedNS())
	_ = clock.Use(c, func(reader clock.Reader) {
		step, _ := observe.Step(reader, nsPerTick, rateSpan)
		tickNS = max(tickNS, step)
	})
	all := pairs(cpus)
	each := max(span/time.Duration(len(all)), shortest)
	for i, pair := range all {
		if ctx.Err() != nil {
			compared.Reason = fmt.Sprintf("interrupted after %d of %d pairs of CPUs", i, len(all))
			break
		}
		if lost[pair[0]] || lost[pair[1]] {
			continue
		}
		e, err := exchange(ctx, c, pair, each)
		if err != nil {
			compared.Reason = err.Error()
			continue
		}
		for _, cpu := range e.lost {
			lost[cpu] = true
			compared.Reason = fmt.Sprintf("CPU %d went away, or had no time", cpu)
		}
		if e.best.Brackets == 0 && e.lost == nil {
			compared.Reason = fmt.Sprintf("CPU %d and %d did not hear of each other often enough in %s; take a longer time", pair[0], pair[1], each.Round(time.Microsecond))
		}
		if e.best.Brackets > 0 {
			compared.Pairs = append(compared.Pairs, CPUPair{
				CPU: pair[0], OtherCPU: pair[1], Rounds: e.best.Brackets,
				OffsetNS: float64(e.best.Offset2()) / 2 * nsPerTick, RoundTripNS: float64(e.best.Width()) * nsPerTick,
				BoundNS: float64(e.best.Width())/2*nsPerTick + tickNS,
			})
		}
	}
	return compared
}

// pairs are the CPUs to compare: the first with each other, and where there are few each
// with each.
func pairs(cpus []int) [][2]int {
	var all [][2]int
	for i, cpu := range cpus {
		if i > 0 && len(cpus) > MatrixCPUs {
			break
		}
		for _, other := range cpus[i+1:] {
			all = append(all, [2]int{cpu, other})
		}
	}
	return all
}
