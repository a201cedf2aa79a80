package measure

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/thread"
)

func quick(threads ...int) Settings {
	return Settings{Threads: threads, Rounds: 6, Time: 5 * time.Millisecond,
		CPU: result.CPU{Usable: len(thread.Usable())}}
}

// Costs alone take less time: coarse clocks take long to tick.
func TestWithoutResolution(t *testing.T) {
	c := scripted("any", count)
	s := quick(1)
	with := s.Estimate([]clock.Clock{c})
	s.WithoutResolution = true
	require.Less(t, s.Estimate([]clock.Clock{c}), with)
	measured := ran(t, s, c).Clocks[0]
	require.Nil(t, measured.Resolution)
	require.NotNil(t, measured.Latency)
}

// ran returns the result of a run.
func ran(t *testing.T, s Settings, clocks ...clock.Clock) Result {
	t.Helper()
	measured, err := Run(context.Background(), clocks, s, nil)
	require.NoError(t, err)
	return measured
}

func TestPinnedRunStaysOnItsCPU(t *testing.T) {
	cpus := thread.Usable()
	s := quick(1)
	s.Pin = cpus[len(cpus)-1:]
	seen := map[int]bool{}
	c := fake("watched", func() (clock.Reader, error) {
		usable := thread.Usable()
		seen[usable[0]] = len(usable) == 1
		return &script{next: count}, nil
	})
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells which CPUs a thread may use; package thread looks on Windows where it runs")
	}
	require.True(t, ran(t, s, c).Clocks[0].Available)
	require.Equal(t, map[int]bool{s.Pin[0]: true}, seen)
}

// A worker's rate is from its median slice, so that an interrupt in a few slices does not affect it; the plain count
// includes it. With too few slices, the rate is all its reads over its time. A single thread needs no more, however
// rarely it has a CPU.
func TestWorkersFigureIsItsMedianSlice(t *testing.T) {
	const us = time.Microsecond
	slices := append(times(8, 20*us), 5000*us) // of 1000 reads: 20 ns/read
	for name, test := range map[string]struct {
		worker           worked
		perSecond, count float64
	}{
		"an interrupted slice":           {worked{0, 300 * us, 9000, slices}, 5e7, 3e7},
		"a CPU for 180 µs of the time":   {worked{0, 1000 * us, 3000, slices}, 5e7, 3e6},
		"no slices":                      {worked{0, 90 * us, 3000, nil}, 3000 / 90e-6, 3000 / 90e-6},
		"it ended before the pass began": {worked{0, 0, 3000, slices}, 0, 0},
	} {
		m, failed := passOf(true, test.worker)
		if test.perSecond == 0 {
			require.Equal(t, &failure{"worker 0 of 1 ended before it began", aFigure}, failed, name)
			continue
		}
		require.Nil(t, failed, name)
		require.InEpsilon(t, test.perSecond, m.result().ReadsPerSecond, 1e-9, name)
		require.InEpsilon(t, test.count, m.result().CountedReadsPerSecond, 1e-9, name)
	}
}

// A turn's sample is the median of its slices; an interrupt in a few of them affects only the mean, and a turn that is
// disturbed for most of the time still has fast slices.
func TestSampleOfSlices(t *testing.T) {
	require.Equal(t, sample{median: 22, fastest: 20, mean: 25}, sampled([]float64{22, 20, 33}, true))
	require.Equal(t, sample{median: 22, fastest: 22, mean: 25}, sampled([]float64{22, 20, 33}, false),
		"too few ticks in a slice")
	require.Equal(t, sample{median: 22, fastest: 22, mean: 25}, sampled([]float64{22, -40, 93}, true),
		"the stopwatch went backwards")
	require.Equal(t, sample{median: 4, fastest: 4, mean: 4}, sampled([]float64{0, 0, 12}, true),
		"it hardly ever ticked")
}

func TestPinToACPUThatIsGoneIsAnError(t *testing.T) {
	s := quick(1)
	s.Pin = []int{1000}
	_, err := Run(context.Background(), clock.Default(), s, nil)
	require.ErrorContains(t, err, "pin a thread to CPU 1000")
}

// A clock that cannot be opened, or fails while it is read, is a row with a reason. If no second thread can open it,
// only its throughput is missing. Add a row for another way to fail.
func TestClocksThatFail(t *testing.T) {
	absent, busy := errors.New("/dev/absent: no such file"), errors.New("device or resource busy")
	const failed = "failed while it was read: no such device"
	failing := func(fails func(opened int) int64) func(int) (clock.Reader, error) {
		return func(opened int) (clock.Reader, error) {
			return &script{next: count, err: errUnplugged, fails: fails(opened)}, nil
		}
	}
	for name, test := range map[string]struct {
		open   func(opened int) (clock.Reader, error)
		reason string
		passes []result.Passes
	}{
		"absent":         {func(int) (clock.Reader, error) { return nil, absent }, "/dev/absent: no such file", nil},
		"first read":     {failing(func(int) int64 { return 1 }), failed, nil},
		"later read":     {failing(func(int) int64 { return 10_000 }), failed, nil},
		"under a worker": {failing(func(opened int) int64 { return int64(opened - 1) }), failed, nil},
		"opens once": {func(opened int) (clock.Reader, error) {
			if opened > 1 {
				return nil, busy
			}
			return &script{next: count}, nil
		}, "", []result.Passes{{Threads: 1, Planned: fewestPasses,
			Reasons: []string{"opens once: device or resource busy"}}}},
	} {
		opened := 0
		c := fake(name, func() (clock.Reader, error) { opened++; return test.open(opened) })
		measured := ran(t, quick(1), c)
		of := measured.Clocks[0]
		require.Equal(t, test.reason, of.Reason, name)
		require.Equal(t, []bool{test.reason == "", test.reason == "", test.reason == ""},
			[]bool{of.Available, of.Latency != nil, of.Resolution != nil}, name)
		require.Empty(t, of.Throughput, name)
		require.Equal(t, test.passes, measured.Conditions.Passes, name)
	}
	entries, err := Availability([]clock.Clock{fake("absent", func() (clock.Reader, error) { return nil, absent }),
		scripted("here", count)})
	require.NoError(t, err)
	require.Equal(t, absent.Error(), entries[0].Reason)
	require.Equal(t, []bool{false, true}, []bool{entries[0].Available, entries[1].Available})
}

// A run may follow a change of the kernel's clock source, and so of the stopwatch's cost.
func TestRunTriesItsStopwatchAnew(t *testing.T) {
	observe.AssumeStopwatch(time.Hour, time.Hour)
	ran(t, quick(1), scripted("any", count))
	require.Less(t, observe.StopwatchCost(), time.Second)
	require.Less(t, observe.StopwatchTick(), time.Second)
}

// docs/measuring.md promises ten seconds. The rest of the program (facts, the TSC's rates asleep and
// under load, the kernel entries) takes less than one second.
func TestDefaultRunTakesLessThanTenSeconds(t *testing.T) {
	const beside = time.Second
	for _, cpus := range []int{1, 2, 8, 24, 64, 192, 512} {
		s := Settings{Threads: DefaultThreads(cpus), CPU: result.CPU{Usable: cpus}}
		clocks := clock.Default()
		s.Rounds, s.Time = s.DefaultRounds(len(clocks)), s.DefaultTime(len(clocks))
		require.Less(t, s.Estimate(clocks)+beside, 10*time.Second, "%d CPUs", cpus)
		for _, threads := range s.Threads {
			require.GreaterOrEqual(t, s.span(threads)/time.Duration(s.passes(threads)), shortestPass, "%d of %d CPUs",
				threads, cpus)
			require.GreaterOrEqual(t, s.passes(threads), fewestPasses)
		}
	}
}

// Threads that are not pinned run on other CPUs in the next pass: a clock that is slower on
// one CPU is slower for another thread each time.
func TestFairnessIsThatWithinAPass(t *testing.T) {
	const us = time.Microsecond
	m := &throughput{threads: 2, subject: &subject{}}
	for pass := range 4 {
		workers := []worked{{0, 100 * us, 1000, nil}, {0, 100 * us, 1000, nil}}
		workers[pass%2].reads = 200
		require.Nil(t, m.count(gateOf(workers...), pace{Chunk: 100, Slice: 10}, windowed{}))
	}
	require.InEpsilon(t, 0.2, m.result().Fairness, 1e-9)
	require.InEpsilon(t, 4*1200/400e-6, m.result().CountedReadsPerSecond, 1e-9)
}

// A worker that is not stopped, because the runner gets no CPU for example, ends by itself.
func TestWorkerEndsWhenNobodyStopsIt(t *testing.T) {
	g := new(gate)
	g.releasedNS.Store(observe.Now())
	for _, keep := range []bool{true, false} {
		p := pace{Chunk: 10, Slice: 20, Keep: keep, Yield: true, SpanNS: int64(time.Millisecond)}
		g.work(0, &script{next: count}, p)
		require.GreaterOrEqual(t, g.slots[0].endNS.Load(), g.releasedNS.Load()+p.SpanNS)
	}
}

// Pinned workers have the CPUs in the order of --pin; others begin on different CPUs.
func TestCPUsOfWorkers(t *testing.T) {
	pinned := Settings{CPU: result.CPU{Usable: 4}, Pin: []int{3, 1}, places: []int{0, 1, 2, 3}}
	require.Equal(t, []affinity{{3, thread.Any}, {1, thread.Any}, {3, thread.Any}}, pinned.affinities(3))
	require.True(t, pinned.oversubscribed(3))
	begun := map[int]bool{}
	for _, at := range (Settings{places: pinned.places}).affinities(4) {
		begun[at.Begin] = at.Pin == thread.Any
	}
	require.Equal(t, map[int]bool{0: true, 1: true, 2: true, 3: true}, begun)
}

// Two threads can use more than a quota of 1.5 CPUs: they share it for whole periods.
func TestQuotaOversubscribes(t *testing.T) {
	s := Settings{Time: 100 * time.Millisecond, CPU: result.CPU{Usable: 4, Quota: 1.5, QuotaPeriodNS: 1e8}}
	require.False(t, s.oversubscribed(1))
	require.True(t, s.oversubscribed(2))
	require.Equal(t, []time.Duration{100 * time.Millisecond, 300 * time.Millisecond}, []time.Duration{s.span(1), s.span(2)})
	s.CPU.Quota = 6 // more than the CPUs have
	require.False(t, s.oversubscribed(4))
}
