package measure

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// A plantedEnd is a context that a test ends.
type plantedEnd struct {
	context.Context
	ended func() error
}

func (p plantedEnd) Err() error { return p.ended() }

// ending returns the result of a run that ends with this error after a number of passes, or of rounds before the first
// pass if passes is 0.
func ending(t *testing.T, err error, passes int, threads ...int) Result {
	t.Helper()
	left := passes
	team := &fakeTeam{fails: func(clock.Clock, int) *failure { left--; return nil }}
	return running(t, &runner{settings: Settings{Threads: threads}, team: team, now: observe.Now, ctx: plantedEnd{
		context.Background(), func() error {
			if left <= 0 {
				return err
			}
			return nil
		},
	}})
}

// Whenever a run ends, each clock has the same numbers of threads: the first ones of the order.
func TestEarlyEndHasTheSameThreadsForEveryClock(t *testing.T) {
	order := []int{1, 12, 2, 4, 8, 3, 5, 6, 7, 9, 10, 11}
	all := slices.Sorted(slices.Values(order))
	had := map[int]bool{}
	for err, reason := range map[error]string{context.Canceled: "the run was interrupted",
		context.DeadlineExceeded: "the time limit ended the run"} {
		for _, passes := range []int{1, 8, 95, 191} {
			measured := ending(t, err, passes, all...)
			require.Equal(t, errors.Is(err, context.Canceled), measured.Interrupted)
			var missing []int
			for _, p := range measured.Conditions.Passes {
				if p.Complete == 0 {
					missing = append(missing, p.Threads)
					require.Equal(t, []string{reason}, p.Reasons)
				}
			}
			for _, c := range measured.Clocks {
				var got []int
				for _, one := range c.Throughput {
					got = append(got, one.Threads)
				}
				require.Equal(t, slices.Sorted(slices.Values(order[:len(got)])), slices.Sorted(slices.Values(got)))
				require.True(t, slices.IsSorted(got))
				require.Len(t, missing, len(all)-len(got))
				had[len(got)] = true
			}
		}
	}
	require.True(t, had[0] && had[1] && had[len(all)], "none to all of them: %v", had)
}

// However slow the machine is, there is a round of latency. A signal ends a run at once.
func TestRunWithoutTimeHasARound(t *testing.T) {
	measured := ending(t, context.DeadlineExceeded, 0, 1, 4)
	require.Equal(t, 1, measured.Conditions.CompleteRounds)
	require.False(t, measured.Interrupted)
	for _, c := range measured.Clocks {
		require.Len(t, c.Latency.SamplesNS, 1)
		require.Empty(t, c.Throughput)
	}
	measured = ending(t, context.Canceled, 0, 1, 4)
	require.True(t, measured.Interrupted)
	require.Nil(t, measured.Clocks[0].Latency)
}

// However slow the machine is, the time limit of a run leaves each clock its first figures. Where the clock is coarse,
// as under Wine, the limit of 1 ns may leave a little more.
func TestLimitLeavesTheFirstFigures(t *testing.T) {
	r := &runner{settings: Settings{Threads: []int{1, 2, 4}, Limit: 1}, team: &fakeTeam{}, now: observe.Now}
	measured := running(t, r)
	r.cancel()
	require.False(t, measured.Interrupted)
	require.GreaterOrEqual(t, measured.Conditions.CompleteRounds, leadingRounds)
	for _, c := range measured.Clocks {
		require.GreaterOrEqual(t, len(c.Latency.SamplesNS), leadingRounds)
		require.NotNil(t, c.Resolution)
		require.GreaterOrEqual(t, sampleCounts(c)[1], sufficient)
	}
	for _, p := range measured.Conditions.Passes {
		require.GreaterOrEqual(t, p.Complete, map[int]int{1: 2 * sufficient}[p.Threads])
		require.Less(t, p.Complete, p.Planned)
		require.Equal(t, []string{"the time limit ended the run"}, p.Reasons)
	}
	require.Len(t, measured.Conditions.Passes, 3)
}

// The duration of a run is known after a few passes with the fewest and the most threads, also if threads wait for
// CPUs. On a busy machine the first pass may wait for a CPU: a run of some seconds is not announced as many minutes.
func TestForecast(t *testing.T) {
	for name, c := range map[string]struct {
		each      func(pass, threads int) time.Duration
		most      int     // threads
		low, high float64 // bounds of the announced duration, in real ones
	}{
		"idle":   {func(int, int) time.Duration { return 10 * time.Millisecond }, 12, 0.7, 1.3},
		"loaded": {func(_, n int) time.Duration { return time.Duration(n) * 4 * time.Millisecond }, 12, 0.7, 1.3},
		"a slow first pass": {func(pass, _ int) time.Duration {
			return 10*time.Millisecond + map[int]time.Duration{1: 4 * time.Second}[pass]
		}, 4, 0.5, 2},
	} {
		ns, passes, first := int64(0), 0, time.Duration(0)
		team := &fakeTeam{fails: func(_ clock.Clock, n int) *failure {
			passes++
			ns += int64(c.each(passes, n))
			return nil
		}}
		r := &runner{settings: Settings{}, team: team, now: func() int64 { return ns }}
		for n := range c.most {
			r.settings.Threads = append(r.settings.Threads, n+1)
		}
		r.progress = func(done, total time.Duration) {
			first = cmp.Or(first, total)
			require.Equal(t, time.Duration(ns), done)
			require.GreaterOrEqual(t, total, done)
		}
		running(t, r)
		require.Greater(t, float64(first), c.low*float64(ns), name)
		require.Less(t, float64(first), c.high*float64(ns), name)
	}
}

// worked is what a worker did in a pass that began at 0.
type worked struct {
	start, end time.Duration
	reads      int64
	slices     []time.Duration // of 1000 reads each
}

func times(n int, slice time.Duration) []time.Duration {
	return slices.Repeat([]time.Duration{slice}, n)
}

// gateOf returns the gate of a pass with these workers.
func gateOf(workers ...worked) *gate {
	const released = 1000
	g := new(gate)
	g.releasedNS.Store(released)
	for i, w := range workers {
		slot := &g.slots[i]
		slot.startNS.Store(released + int64(w.start))
		slot.endNS.Store(released + int64(w.end))
		slot.reads.Store(w.reads)
		slot.sliced.Store(int64(len(w.slices)))
		for j, slice := range w.slices {
			g.slices[i][j] = int64(slice)
		}
	}
	return g
}

// passOf returns the throughput of a pass with these workers.
func passOf(median bool, workers ...worked) (*throughput, *failure) {
	m := &throughput{threads: len(workers), subject: &subject{}}
	return m, m.count(gateOf(workers...), pace{Chunk: 100, Slice: 10, Median: median}, windowed{})
}

// TestStarvedWorkerIsToldFromASlowClock plants passes in which the clock takes 100 ns for one
// thread.
func TestStarvedWorkerIsToldFromASlowClock(t *testing.T) {
	const us, ms = time.Microsecond, time.Millisecond
	sound := worked{0, ms, 10_000, times(10, 100*us)}
	for name, test := range map[string]struct {
		workers []worked
		starved bool
	}{
		"sound": {[]worked{sound, sound}, false},
		"a clock that does not scale": {[]worked{{0, 100 * ms, 20_000, times(20, 5*ms)},
			{0, 100 * ms, 20_000, times(20, 5*ms)}}, false},
		"the same, no slice ended":  {[]worked{{0, ms, 200, nil}, {0, ms, 180, nil}}, false},
		"slow on one CPU":           {[]worked{sound, {0, 10 * ms, 1000, times(1, 10*ms)}}, false},
		"interrupted for a moment":  {[]worked{sound, {0, ms, 7000, append(times(6, 100*us), 400*us)}}, false},
		"started late":              {[]worked{sound, {40 * ms, 40*ms + 20*us, 200, nil}}, true},
		"started late, and read on": {[]worked{sound, {40 * ms, 41 * ms, 10_000, times(10, 100*us)}}, true},
		"stopped in between":        {[]worked{sound, {0, 40 * ms, 4000, append(times(3, 100*us), 39*ms)}}, true},
	} {
		m, failed := passOf(false, test.workers...)
		require.Nil(t, failed, name)
		require.Equal(t, test.starved, m.starved == 1, name)
		require.Equal(t, 1, m.complete, name)
		m.oversubscribed = true // its threads wait for CPUs by intent
		require.Nil(t, m.count(gateOf(test.workers...), pace{Chunk: 100, Slice: 10}, windowed{}), name)
		require.Equal(t, test.starved, m.starved == 1, name)
	}
}

// A figure comes from the passes in which each thread had its CPU, and is disturbed if they are too few. A single
// thread needs only some slices.
func TestFigureOfStarvedPasses(t *testing.T) {
	const us, ms = time.Microsecond, time.Millisecond
	sound := worked{0, ms, 10_000, times(10, 100*us)}    // 100 ns/read
	absent := worked{40 * ms, 40*ms + 20*us, 100, nil}   // it gets a CPU when the pass is over
	rarely := worked{0, 40 * ms, 4000, times(4, 100*us)} // one tenth of a slice in each
	figure := func(passes ...[]worked) compare.Throughput {
		m := &throughput{threads: len(passes[0]), planned: len(passes), subject: &subject{}}
		for _, workers := range passes {
			require.Nil(t, m.count(gateOf(workers...), pace{Chunk: 100, Slice: 10, Median: true}, windowed{}))
		}
		return m.result()
	}
	both, one := []worked{sound, sound}, []worked{sound, absent}
	for name, test := range map[string]struct {
		got       compare.Throughput
		disturbed bool
		samples   int
	}{
		"three of ten":          {figure(both, one, one, both, one, one, one, one, both, one), false, 3},
		"two of ten":            {figure(both, one, one, both, one, one, one, one, one, one), true, 10},
		"a thread alone":        {figure([]worked{rarely}, []worked{rarely}, []worked{rarely}), false, 3},
		"a thread that is late": {figure([]worked{absent}, []worked{rarely}, []worked{absent}), true, 3},
	} {
		require.Equal(t, test.disturbed, test.got.Disturbed, name)
		require.Len(t, test.got.SamplesReadsPerSecond, test.samples, name)
		if name != "a thread that is late" {
			require.InEpsilon(t, 100, test.got.NSPerRead, 1e-9, name)
		}
	}
	late := gateOf(worked{0, time.Minute, 4001, nil}) // it has a CPU only long after the last window
	for _, windows := range [][]float64{{0, 0, 12e6}, {1e6, 12e6, 12e6}} {
		shared := throughput{threads: 1, oversubscribed: true, subject: &subject{}}
		require.Nil(t, shared.count(late, pace{Chunk: 100}, windowed{windows, 4000, 1e6}))
		got := shared.result()
		require.Equal(t, windows[0] == 0, got.Disturbed, "no thread had a CPU in some windows")
		require.InEpsilon(t, 4e6, got.ReadsPerSecond, 1e-9, "the count of all windows")
	}
}
