// Package skew measures the offsets between the CPUs' views of a clock.
//
// Two CPUs exchange readings over a shared cache line. The first reads the clock and sends a message. The other
// receives it, reads the clock and answers. The first receives the answer and reads again. So the other's reading lies
// between the two readings of the first. The offset is that reading minus their middle, and the error bound is half of
// the round trip.
//
// The tightest of many round trips gives the offset and its bound. The bound holds even if one direction is faster than
// the other. The round trip is also the latency between the CPUs.
package skew

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/show/words"
)

// MatrixCPUs is the max number of CPUs that are all compared with each other. With more CPUs,
// the first is compared with all others.
const MatrixCPUs = 16

// Settings are the settings of a run.
type Settings struct {
	// Time is the time of the run, for all clocks and pairs together. A run takes longer if each pair would have less than
	// 10 ms.
	Time time.Duration
	// Brief is whether a pair ends after some thousand round trips, which take milliseconds, before its time is over.
	// The threads are urgent in the meantime: on a busy machine two ordinary threads seldom run at the same time.
	Brief bool
	// CPUs are the CPUs that are compared, at least two; the others are compared with the first.
	CPUs []int
}

// rateSpan is the time to measure the rate of a counter that does not report it.
const rateSpan = 50 * time.Millisecond

// shortest is the min time for a pair: in less, every round may be disturbed.
const shortest = 10 * time.Millisecond

// Run compares the CPUs by each clock. When ctx ends, it returns the results so far.
// progress may be nil.
func Run(ctx context.Context, clocks []clock.Clock, s Settings, progress func(done, total time.Duration)) Skew {
	start := time.Now()
	s.Time = max(s.Time, time.Duration(len(clocks))*(rateSpan+time.Duration(len(pairs(s.CPUs)))*shortest))
	const ours, runner = 2, 2 // the spinning threads, and the threads of the run itself
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), ours+runner)))
	r := Skew{CPUs: s.CPUs, Clocks: []SkewedClock{}}
	lost := map[int]string{}
	report := func() {
		if progress != nil {
			progress(time.Since(start), s.Time)
		}
	}
	for i, c := range clocks {
		// A run that lost time ends in time, and measures fewer clocks.
		left, share := s.Time-time.Since(start), time.Duration(0)
		if left > 0 {
			share = max(left/time.Duration(len(clocks)-i), s.Time/time.Duration(2*len(clocks)))
		}
		r.Clocks = append(r.Clocks, one(ctx, c, s, share, lost, report))
		report()
	}
	r.LostCPUs = slices.Sorted(maps.Keys(lost))
	r.DurationNS = int64(time.Since(start))
	return r
}

// one compares the CPUs by a clock, the first CPU with the others first, for about the span; 0 if the time is up. It
// leaves out lost CPUs, adds newly lost CPUs, and calls progress between two pairs.
func one(ctx context.Context, c clock.Clock, s Settings, span time.Duration, lost map[int]string,
	progress func()) SkewedClock {
	start, compared := time.Now(), SkewedClock{ID: c.ID}
	unpinned := thread.Pinnable(s.CPUs)
	switch err := clock.Readable(c); {
	case c.Kind.CountsCPU():
		compared.Reason = "CPU time is a thread's or a process's, not a CPU's"
	case err != nil:
		compared.Reason = err.Error()
	case unpinned != nil:
		compared.Reason = unpinned.Error()
	case ctx.Err() != nil || span == 0:
		compared.Reason = observe.WhyEnded(ctx, " before it was read")
	default:
		compared.TicksPerSecond = observe.Hz(c, rateSpan)
	}
	if compared.TicksPerSecond == 0 {
		if compared.Reason == "" {
			compared.Reason = "its rate could not be measured"
		}
		return compared
	}
	nsPerTick := 1e9 / compared.TicksPerSecond
	// A value is rounded down to a tick, which may be longer than the unit of the value.
	tickNS := max(nsPerTick, c.ReportedNS())
	_ = clock.Use(c, func(reader clock.Reader) {
		step, _ := observe.Step(reader, nsPerTick, rateSpan, observe.Now)
		tickNS = max(tickNS, step)
	})
	all := pairs(s.CPUs)
	missing := func(pair [2]int, reason string) {
		compared.Reason = reason
		compared.MissingPairs = append(compared.MissingPairs, MissingPair{CPU: pair[0], OtherCPU: pair[1], Reason: reason})
	}
	for i, pair := range all {
		if i > 0 {
			progress()
		}
		left := span - time.Since(start)
		if ctx.Err() != nil || i > 0 && left <= 0 {
			for _, pair := range all[i:] {
				missing(pair, observe.WhyEnded(ctx, ""))
			}
			break
		}
		each := max(left/time.Duration(len(all)-i), shortest)
		if why := cmp.Or(lost[pair[0]], lost[pair[1]]); why != "" {
			missing(pair, why)
			continue
		}
		e, err := exchange(ctx, c, pair, each, s.Brief)
		maps.Copy(lost, e.lost)
		compared.Reason = cmp.Or(e.lost[pair[0]], e.lost[pair[1]], compared.Reason)
		if err != nil {
			missing(pair, err.Error())
			continue
		}
		if e.best.Brackets == 0 {
			few := fmt.Sprintf("too few round trips in %s; use a longer --duration", words.Duration(float64(each)))
			missing(pair, cmp.Or(e.lost[pair[0]], e.lost[pair[1]], few))
			continue
		}
		offset, bound := e.best.OffsetNS(nsPerTick, tickNS)
		compared.Pairs = append(compared.Pairs, CPUPair{
			CPU: pair[0], OtherCPU: pair[1], Rounds: e.best.Brackets, OffsetNS: offset, BoundNS: bound,
			RoundTripNS: float64(e.best.Width()) * nsPerTick,
		})
	}
	return compared
}

// pairs returns the pairs of CPUs to compare: the first with each other CPU, and if there are few, each with each.
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

// DefaultClocks returns the clocks that are measured if none are chosen: the first counter that waits for earlier
// instructions, if the CPU has one, and the clock of the system.
func DefaultClocks() []clock.Clock {
	all := clock.Catalog()
	has := func(id string) bool { return slices.ContainsFunc(all, func(c clock.Clock) bool { return c.ID == id }) }
	usual := []string{"CLOCK_MONOTONIC@vdso", "QueryPerformanceCounter@winapi"}
	if i := slices.IndexFunc(clock.OrderedCounters, has); i >= 0 {
		usual = append(usual, clock.OrderedCounters[i])
	}
	some := slices.DeleteFunc(all, func(c clock.Clock) bool { return !slices.Contains(usual, c.ID) })
	if len(some) == 0 {
		return clock.Default()
	}
	return some
}
