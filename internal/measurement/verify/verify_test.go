package verify

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/show/table"
	"github.com/timebench/timebench/test/need"
	"github.com/timebench/timebench/test/planted"
)

// under returns the settings of a run with a witness.
func under(span time.Duration, cpus []int, others ...clock.Clock) Settings {
	return Settings{Time: span, CPUs: cpus, All: append([]clock.Clock{truth()}, others...), CounterIsTrusted: true}
}

// run verifies clocks on the CPUs for long enough to find planted faults. Each clock has a run of its own, because on a
// busy machine the time of a single run may be up before the last clock.
func run(t *testing.T, cpus []int, clocks ...clock.Clock) (all Verification) {
	t.Helper()
	for _, c := range clocks {
		v := Run(context.Background(), []clock.Clock{c}, under(150*time.Millisecond, cpus, clocks...), nil)
		all.Clocks, all.LostCPUs = append(all.Clocks, v.Clocks...), v.LostCPUs
	}
	return all
}

// onTime returns the first run in which no thread waited too long for its CPU, or else the last of ten.
func onTime(run func() Verification) (v Verification) {
	for range 10 {
		if v = run(); len(v.LostCPUs) == 0 {
			break
		}
	}
	return v
}

func TestCleanClockHasNoFault(t *testing.T) {
	cpus := planted.TwoCPUs(t)
	other, clean := shared("clean@syscall", now), shared("clean@vdso", now)
	clean.OtherPath = other.ID
	for range 4 {
		v := Run(context.Background(), []clock.Clock{clean}, under(60*time.Millisecond, cpus, other, clean), nil)
		c := v.Clocks[0]
		require.Empty(t, c.Faults)
		require.True(t, v.Held())
		require.Equal(t, c.Across != nil && c.Across.Pairs > 0 && c.Reads >= fewestReads, c.Verdict == IsMonotonic,
			"%+v", c)
		// On a busy machine a thread may come late, and compare nothing.
		require.True(t, c.Verdict == IsMonotonic || c.Reason != "", "%+v", c)
		if c.Across != nil {
			require.Equal(t, c.Across.Pairs == 2, c.Across.SmallestWarpNS > 0)
		}
		if c.Bracket != nil {
			require.LessOrEqual(t, math.Abs(c.Bracket.OffsetNS), c.Bracket.BoundNS)
		}
	}
}

// One step of 1 ns in ten million reads, on one CPU. The run ends after these reads, however
// long they take.
func TestOneStepBackIsFound(t *testing.T) {
	ctx, enough := context.WithCancel(context.Background())
	defer enough()
	c := watched("steps@fake", clock.Monotonic, func() func() int64 {
		value, reads := int64(0), 0
		return func() int64 {
			reads++
			if value++; reads == 10_000_000 {
				value -= 2
			}
			if reads == 11_000_000 {
				enough()
			}
			return value
		}
	})
	c.PerThread = true
	v := Run(ctx, []clock.Clock{c}, Settings{Time: 10 * time.Minute, CPUs: thread.Usable()[:1], All: []clock.Clock{c}},
		nil)
	require.Greater(t, v.Clocks[0].Reads, int64(10_000_000))
	require.Len(t, v.Clocks[0].Faults, 1)
	f := v.Clocks[0].Faults[0]
	cpu := thread.Usable()[0]
	require.Equal(t, ClockFault{Kind: FaultBackwards, Count: 1, WorstNS: 1, CPU: number(cpu)}, f)
	require.Equal(t, Backwards, v.Clocks[0].Verdict)
	require.False(t, v.Held())
}

// Every thread sees a step of the clock itself, which counts once.
func TestOneStepOfTheClockIsOneFault(t *testing.T) {
	cpus := planted.TwoCPUs(t)
	ctx, enough := context.WithCancel(t.Context())
	defer enough()
	const some = 1000
	var ready, seen atomic.Int32
	c := watched("set@fake", clock.Wall, func() func() int64 {
		before, after := 0, 0
		return func() int64 {
			if before++; before == some {
				ready.Add(1)
			}
			if ready.Load() < 2 {
				return now()
			}
			if after++; after == some && seen.Add(1) == 2 {
				enough()
			}
			return now() - 1e7
		}
	})
	c.PerThread = true
	v := Run(ctx, []clock.Clock{c}, Settings{Time: 10 * time.Minute, CPUs: cpus, All: []clock.Clock{c}}, nil)
	f := v.Clocks[0].Fault(FaultBackwards)
	require.NotNil(t, f)
	require.Equal(t, int64(1), f.Count)
}

// A small warp is found while fast and slow clocks are compared too.
func TestWarpOfOneOfManyClocks(t *testing.T) {
	cpus := planted.TwoCPUs(t)
	slow := shared("slow@fake", func() int64 {
		for since := now(); now()-since < 2*int64(observe.Lost); {
			continue
		}
		return now()
	})
	for tries := 0; ; tries++ {
		atOnceOrSkip(t, tries)
		v := Run(t.Context(), []clock.Clock{slow, planted.Counter(t, cpus[0], 5000), shared("clean@fake", now)},
			under(300*time.Millisecond, cpus), nil)
		require.Empty(t, v.Clocks[0].Faults)
		require.Empty(t, v.Clocks[2].Faults)
		if v.Clocks[1].Fault(FaultWarp) != nil {
			return
		}
		require.NotEmpty(t, v.Missing())
	}
}

// Two reads prove nothing.
func TestFewReadsAreNoVerification(t *testing.T) {
	c := shared("slow@fake", func() int64 {
		time.Sleep(100 * time.Millisecond)
		return now()
	})
	c.PerThread = true
	v := onTime(func() Verification {
		return Run(t.Context(), []clock.Clock{c, shared("next@fake", now)},
			Settings{Time: time.Second / 2, CPUs: thread.Usable()[:1]}, nil)
	})
	require.Equal(t, Unverified, v.Clocks[0].Verdict)
	require.Regexp(t, "^only [0-9]+ reads? in its share of the time; use a longer --duration$", v.Clocks[0].Reason)
	require.Equal(t, VerifiedClock{ID: "next@fake", Verdict: Unverified,
		Reason: "the time limit ended the run before it was read; use a longer --duration"}, v.Clocks[1])
	require.Equal(t, table.Warn, v.Block(&result.Document{}).Level)
}

// An offset between CPUs is found if it is larger than the smallest warp that a run says it would have seen:
// 200 ns on some machines and 800 on others, under the race detector.
func TestOffsetOfOneCPUIsFound(t *testing.T) {
	cpus := planted.TwoCPUs(t)
	small := 2 * smallestWarp(t, cpus)
	for i, offset := range []float64{small, -100_000} {
		faulty := cpus[i]
		size := math.Abs(offset)
		// The latency between the CPUs and of the read hides a part of the offset. If the
		// CPUs hardly ever ran at the same time, because of other tests, it hides more,
		// and a small offset is missed; the run must then report that it would have
		// missed it.
		var c VerifiedClock
		var f *ClockFault
		for tries := 0; f == nil || f.WorstNS <= size-5000; tries++ {
			atOnceOrSkip(t, tries)
			c = run(t, cpus, planted.Counter(t, faulty, offset)).Clocks[0]
			if f = c.Fault(FaultWarp); f == nil {
				t.Logf("missed %v ns: %+v", offset, c.Across)
				require.Empty(t, c.Faults)
				require.True(t, c.Across == nil || c.Across.SmallestWarpNS == 0 || c.Across.SmallestWarpNS > size)
				if c.Across != nil && offset > 0 { // it is busier than the run without an offset
					offset = max(offset, 2*c.Across.SmallestWarpNS)
					size = offset
				}
			}
		}
		require.Equal(t, OneCPU, c.Verdict)
		require.Len(t, c.Faults, 1)
		require.Positive(t, f.Count)
		require.LessOrEqual(t, f.WorstNS, size)
		t.Logf("of %.0f ns %.0f were seen", offset, f.WorstNS)
		behind := *f.EarlierCPU
		if offset < 0 {
			behind = *f.CPU
		}
		require.Equal(t, faulty, behind)
		require.NotEqual(t, *f.CPU, *f.EarlierCPU)
		require.Zero(t, c.Across.SmallestWarpNS)
	}
}

// smallestWarp is the smallest warp in ns that a run on this machine would have seen.
func smallestWarp(t *testing.T, cpus []int) float64 {
	t.Helper()
	for tries := 0; ; tries++ {
		atOnceOrSkip(t, tries)
		across := run(t, cpus, planted.Counter(t, cpus[0], 0)).Clocks[0].Across
		if across != nil && across.SmallestWarpNS > 0 {
			return across.SmallestWarpNS
		}
	}
}

// atOnceOrSkip skips a test after many runs that did not show what two CPUs show that run threads at the same time: on
// a busy machine they hardly ever do.
func atOnceOrSkip(t *testing.T, tries int) {
	t.Helper()
	if tries == 50 {
		need.Missing(t, "idle CPUs", "in 50 runs two CPUs did not run the threads at the same time for long enough")
	}
}

// A virtual is a time that passes only by its reads, so the values do not depend on the machine. It ends the run after
// a span.
type virtual struct {
	ns, reads  int64
	each, span time.Duration
	away       time.Duration // passes in one read of 5000, as if the thread lost its CPU
	end        func()
}

func (v *virtual) now() int64 {
	v.ns += int64(v.each)
	if v.reads++; v.reads%5000 == 0 {
		v.ns += int64(v.away)
	}
	if v.ns >= int64(v.span) {
		v.end()
	}
	return v.ns
}

func same(now int64) int64 { return now }

// late returns a clock that is behind in one read of each four milliseconds, as a clock of Linux may be under hpet. It
// does not go back.
func late() func(now int64) int64 {
	const behind, every = int64(50 * time.Microsecond), int64(4 * time.Millisecond)
	last, since := int64(0), int64(0)
	return func(now int64) int64 {
		if now-since > every {
			since, now = now, max(last+1, now-behind)
		}
		last = now
		return now
	}
}

// stalling returns a clock that stands still for a time at the start of each period, and then catches up.
func stalling(period, length int64) func(now int64) int64 {
	return func(now int64) int64 {
		if into := now % period; into < length {
			return now - into
		}
		return now
	}
}

// A clock is watched on one CPU, with a witness, in virtual time. Each planted fault is found with its size, in ns or
// ppm, and no other.
func TestFaultsAgainstTheWitness(t *testing.T) {
	const us, ms, witnessID = int64(time.Microsecond), int64(time.Millisecond), "LFENCE+RDTSC@cpu"
	fast := func(ppm int64) func(now int64) int64 { return func(now int64) int64 { return now + now*ppm/1e6 } }
	jumping := func(now int64) int64 { return now + now/(4*ms)*50*us }
	interrupts := stalling(300*ms, 150*ms)
	ticking := func(now int64) int64 { return interrupts(now) / ms * ms }
	for name, test := range map[string]struct {
		time         virtual
		coarse       bool
		read, second func(now int64) int64
		faults       map[string][2]float64
		stoodNS      float64 // at least
	}{
		"stalls and catches up": {virtual{each: 20, span: 100 * time.Millisecond}, false, stalling(10*ms, ms), same,
			map[string][2]float64{FaultStall: {0.8e6, 1e6}, FaultJump: {0.8e6, 1e6}}, 0.8e6},
		"jumps": {virtual{each: 20, span: 100 * time.Millisecond}, false, jumping, same,
			map[string][2]float64{FaultJump: {25e3, 75e3}}, 0},
		"runs fast": {virtual{each: 20, span: 100 * time.Millisecond}, false, fast(1_500_000), same,
			map[string][2]float64{FaultFast: {1.499e6, 1.5e6}}, 0},
		"runs a little fast": {virtual{each: 20, span: 100 * time.Millisecond}, false, fast(300_000), same,
			map[string][2]float64{FaultFast: {0.299e6, 0.3e6}}, 0},
		"runs fast, and the thread loses its CPU": {virtual{each: 20, span: time.Second, away: 5 * time.Millisecond}, false,
			fast(1_500_000), same, map[string][2]float64{FaultFast: {1.4e6, 1.5e6}}, 0},
		"runs fast and jumps": {virtual{each: 20, span: 100 * time.Millisecond}, false,
			func(now int64) int64 { return fast(1_500_000)(jumping(now)) }, same,
			map[string][2]float64{FaultFast: {1.5e6, 1.55e6}}, 0},
		"the witness is behind now and then": {virtual{each: 60, span: 200 * time.Millisecond}, false, same, late(), nil, 0},
		"the thread loses its CPU": {virtual{each: 20, span: time.Second, away: 5 * time.Millisecond}, false, same, same,
			nil, 0},
		// The interrupt of a clock with a tick of 1 ms comes 150 ms late.
		"late ticks of a coarse clock": {virtual{each: 500, span: 1200 * time.Millisecond}, true, ticking, same, nil, 75e6},
		"late ticks":                   {virtual{each: 500, span: 1200 * time.Millisecond}, false, ticking, same, nil, 75e6},
	} {
		v := onTime(func() Verification {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			passing := test.time
			passing.end = cancel
			c := shared("planted@fake", func() int64 { return test.read(passing.now()) })
			c.Coarse = test.coarse
			witness := shared(witnessID, func() int64 { return test.second(passing.now()) })
			return Run(ctx, []clock.Clock{c}, Settings{Time: 10 * time.Minute, CPUs: thread.Usable()[:1],
				All: []clock.Clock{witness}, CounterIsTrusted: true}, nil)
		}).Clocks[0]
		require.Equal(t, witnessID, v.Witness, name)
		require.Greater(t, v.Reads, int64(100_000), name)
		require.GreaterOrEqual(t, v.StoodNS, test.stoodNS, name)
		require.Equal(t, len(test.faults) > 0, v.Verdict == Faulty, name)
		require.Len(t, v.Faults, len(test.faults), "%s: %+v", name, v.Faults)
		for kind, size := range test.faults {
			f := v.Fault(kind)
			require.NotNil(t, f, "%s: %s", name, kind)
			require.Positive(t, f.Count, name)
			require.GreaterOrEqual(t, f.WorstNS+f.PPM, size[0], "%s: %s", name, kind)
			require.LessOrEqual(t, f.WorstNS+f.PPM, size[1], "%s: %s", name, kind)
		}
		if f := v.Fault(FaultStall); f != nil {
			require.InDelta(t, f.WorstNS, v.StoodNS, 1, name)
		}
	}
}

// Some systems return elapsed time as the CPU time of a thread.
func TestCPUTimeThatCountsSleepIsFound(t *testing.T) {
	counts := func(id string, next func() int64) clock.Clock {
		c := fake(id, clock.CPUTime, func() func() int64 { return next })
		c.PerThread = true
		return c
	}
	var reads atomic.Int64
	v := run(t, planted.TwoCPUs(t), counts("wall@syscall", now),
		counts("cpu@syscall", func() int64 { return reads.Add(50) }))
	require.Equal(t, Faulty, v.Clocks[0].Verdict)
	f := v.Clocks[0].Fault(FaultAsleep)
	require.NotNil(t, f)
	require.Greater(t, f.WorstNS, 19e6) // a sleep of 20 ms; Wine's may end early
	require.Nil(t, v.Clocks[1].Fault(FaultAsleep))
}

// A jump in the last batch of a run is judged too. The clock jumps when the time of the run is over.
func TestJumpInTheLastBatch(t *testing.T) {
	ctx, end := context.WithCancel(context.Background())
	defer end()
	var reads atomic.Int64
	c := watched("jumps last@fake", clock.Monotonic, func() func() int64 {
		return func() int64 {
			if reads.Add(1) == 100_000 {
				end()
				time.Sleep(100 * time.Millisecond) // the run ends with this batch
			}
			if reads.Load() >= 100_000 {
				return now() + int64(time.Second)
			}
			return now()
		}
	})
	v := Run(ctx, []clock.Clock{c}, under(10*time.Minute, thread.Usable()[:1]), nil)
	f := v.Clocks[0].Fault(FaultJump)
	require.NotNil(t, f)
	require.Equal(t, int64(1), f.Count)
	require.InDelta(t, 1e9, f.WorstNS, 1e8)
}

// A clock with a tick of 4 ms repeats its values, which is no fault.
func TestCoarseClockIsClean(t *testing.T) {
	const tick = int64(4 * time.Millisecond)
	var c VerifiedClock
	// On a busy machine a thread may not have a CPU for two consecutive ticks, or from one to the next.
	for tries := 0; c.TickNS == 0 || c.TickNS > float64(tick)+1 || c.StoodNS <= float64(tick)/2; tries++ {
		require.Less(t, tries, 50)
		c = run(t, thread.Usable(), shared("coarse@fake", func() int64 { return now() / tick * tick })).Clocks[0]
		require.Empty(t, c.Faults)
	}
	require.InDelta(t, tick, c.TickNS, 1)
	require.Greater(t, c.Repeats, c.Reads/2)
	// A CPU that is behind by less than a tick has the same value most of the time.
	require.True(t, c.Across == nil || c.Across.SmallestWarpNS == 0 || c.Across.SmallestWarpNS >= float64(tick)-1)
}

func TestVDSOThatIsAheadIsFound(t *testing.T) {
	for _, ahead := range []int64{1000, -1000} {
		twin, vdso := shared("ahead@syscall", now), shared("ahead@vdso", func() int64 { return now() + ahead })
		vdso.OtherPath = twin.ID
		vdso.PathResolutionNS = func() float64 { return 1 }
		twin.PathResolutionNS = func() float64 { return 4e6 }
		v := run(t, thread.Usable(), twin, vdso)
		require.Empty(t, v.Clocks[0].Faults)
		c := v.Clocks[1]
		require.Equal(t, Faulty, c.Verdict)
		f := c.Fault(FaultOutside)
		require.NotNil(t, f)
		// A bracket in which the thread lost its CPU is wide enough.
		require.Greater(t, float64(f.Count), 0.9*float64(c.Bracket.Brackets)/float64(len(thread.Usable())))
		// The rest of the 1000 ns is the width of the bracket: 500 ns and more under an emulator.
		require.Greater(t, f.WorstNS, 100.0)
		require.LessOrEqual(t, f.WorstNS, 1000.0)
		require.InDelta(t, ahead, c.Bracket.OffsetNS, c.Bracket.BoundNS)
		f = c.Fault(FaultResolution)
		require.NotNil(t, f)
		require.Equal(t, 3999999.0, f.WorstNS)
	}
}

func TestWhatCannotBeVerified(t *testing.T) {
	v := run(t, thread.Usable(), missing("missing@fake"), failing("dies at once@fake", 0))
	require.Equal(t, VerifiedClock{ID: "missing@fake", Verdict: Unverified, Reason: "this machine has none"},
		v.Clocks[0])
	require.Equal(t, "no such device", v.Clocks[1].Reason)
	require.Equal(t, Unverified, v.Clocks[1].Verdict)
	require.Empty(t, v.Clocks[0].Faults, "a clock that is not there holds")
	require.Empty(t, v.Clocks[1].Faults)

	still := []clock.Clock{shared("stands@fake", func() int64 { return 7 })}
	// A thread has a CPU once in 70 ms beside 40 others.
	stands := Run(t.Context(), still, under(600*time.Millisecond, thread.Usable(), still...), nil).Clocks[0]
	require.Equal(t, stands.Reads, stands.Repeats)
	require.Equal(t, Faulty, stands.Verdict)
	f := stands.Fault(FaultStall)
	require.NotNil(t, f, "a clock that never moves")
	require.InDelta(t, f.WorstNS, stands.StoodNS, 1)
}

// A wall clock that is set back has no warp.
func TestWallClockThatIsSetBack(t *testing.T) {
	cpus := planted.TwoCPUs(t)
	start := now()
	c := fake("set@fake", clock.Wall, func() func() int64 {
		return func() int64 {
			at := now()
			return at - (at-start)/int64(30*time.Millisecond)*int64(10*time.Millisecond)
		}
	})
	// A thread that loses its CPU while the clock is set back sees a smaller step, or none.
	for span := 200 * time.Millisecond; ; span *= 2 {
		require.Less(t, span, time.Minute)
		v := Run(t.Context(), []clock.Clock{c}, under(span, cpus), nil)
		require.Nil(t, v.Clocks[0].Fault(FaultWarp))
		if f := v.Clocks[0].Fault(FaultBackwards); f != nil && f.WorstNS > 9e6 {
			require.Equal(t, Backwards, v.Clocks[0].Verdict)
			require.InDelta(t, 1e7, f.WorstNS, 1e6)
			return
		}
	}
}

// A read that sometimes fails leaves an old value, and reports the failure.
func TestReadsThatFailNowAndThenAreNoWarps(t *testing.T) {
	cpus := planted.TwoCPUs(t)
	c := shared("busy@fake", now)
	c.Open = func() (clock.Reader, error) {
		reads, last, failed := 0, now(), false
		r := &fakeReader{next: now}
		r.single = func() int64 {
			reads++
			if failed = reads%97 == 0; !failed {
				last = now()
			}
			return last
		}
		r.err = func() error {
			if failed {
				return errors.New("device or resource busy")
			}
			return nil
		}
		return r, nil
	}
	for tries, checks := 0, int64(0); checks < 200_000; tries++ { // comparisons end at a burst whose last read fails
		atOnceOrSkip(t, tries)
		v := run(t, cpus, c)
		require.Nil(t, v.Clocks[0].Fault(FaultWarp))
		if across := v.Clocks[0].Across; across != nil {
			checks += across.Checks
		}
	}
}

func TestClockThatFailsLaterIsAFault(t *testing.T) {
	v := Run(t.Context(), []clock.Clock{failing("unplugged@fake", 50_000)}, under(time.Minute, thread.Usable()[:1]), nil)
	f := v.Clocks[0].Fault(FaultFailed)
	require.NotNil(t, f)
	require.Equal(t, "no such device", f.Text)
	require.Positive(t, v.Clocks[0].Reads)
	require.False(t, v.Held())
}

func TestOneCPUComparesNothing(t *testing.T) {
	v := run(t, thread.Usable()[:1], shared("alone@fake", now))
	require.Equal(t, NotCompared, v.Clocks[0].Verdict)
	require.Nil(t, v.Clocks[0].Across)
	require.Empty(t, v.Clocks[0].Faults)
	require.True(t, v.Held())
}

// A CPU that does not exist went away before the run began.
func TestCPUThatIsGone(t *testing.T) {
	cpus := planted.TwoCPUs(t)
	v := Run(t.Context(), []clock.Clock{shared("clean@fake", now)},
		under(400*time.Millisecond, []int{cpus[0], 1000, cpus[1]}), nil)
	require.Equal(t, []int{1000}, v.LostCPUs)
	require.Equal(t, "CPU 1000 went offline", v.Clocks[0].Reason)
	require.Equal(t, "clean@fake: CPU 1000 went offline", v.Missing())
	require.Empty(t, v.Clocks[0].Faults)
	require.Positive(t, v.Clocks[0].Across.Pairs)
	require.Equal(t, IsMonotonic, v.Clocks[0].Verdict)
}

func TestInterruptedRunHasWhatIsKnown(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var reads atomic.Int64
	first := shared("first@fake", func() int64 {
		if reads.Add(1) == 100_000 {
			cancel()
		}
		return now()
	})
	var told atomic.Int32
	v := Run(ctx, []clock.Clock{first, shared("second@fake", now)}, under(time.Minute, thread.Usable()),
		func(_, total time.Duration) {
			require.Equal(t, time.Minute, total)
			told.Add(1)
		})
	require.Positive(t, told.Load())
	require.Positive(t, v.Clocks[0].Reads)
	require.Equal(t, VerifiedClock{ID: "second@fake", Verdict: Unverified, Reason: "interrupted before it was read"},
		v.Clocks[1])

	v = Run(ctx, []clock.Clock{shared("first@fake", now)}, Settings{Time: time.Hour, CPUs: thread.Usable()}, nil)
	require.Equal(t, Unverified, v.Clocks[0].Verdict)

	ctx, cancel = context.WithTimeout(t.Context(), 0)
	defer cancel()
	v = Run(ctx, []clock.Clock{shared("first@fake", now)}, Settings{Time: time.Hour, CPUs: thread.Usable()}, nil)
	require.Equal(t, "the time limit ended the run before it was read; use a longer --duration", v.Clocks[0].Reason,
		"nobody interrupted it")
}

// A clock that counts a suspend jumps against a witness that does not, which is no fault.
func TestSuspendDuringTheRun(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	defer end()
	var reads, suspended atomic.Int64
	c := watched("counts suspend@fake", clock.Monotonic, func() func() int64 {
		return func() int64 {
			switch reads.Add(1) {
			case 100_000:
				suspended.Store(30e9)
			case 200_000:
				end()
			}
			return now() + suspended.Load()
		}
	})
	defer func(before func() observe.Bracket) { bootClock = before }(bootClock)
	bootClock = func() observe.Bracket {
		b := observe.BootClock()
		b.Value += suspended.Load()
		return b
	}
	v := Run(ctx, []clock.Clock{c}, under(10*time.Minute, thread.Usable()[:1]), nil)
	require.Empty(t, v.Clocks[0].Faults)
	require.Equal(t, "the machine was suspended for 30 s, which hides jumps and stalls; run it again",
		v.Clocks[0].Reason)
}
