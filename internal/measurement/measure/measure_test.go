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
	"github.com/timebench/timebench/internal/measurement/compare"
)

func quick(threads ...int) Settings {
	return Settings{Threads: threads, Rounds: 6, Time: 5 * time.Millisecond, CPUs: len(thread.Usable())}
}

// Costs alone take less time: coarse clocks take long to tick.
func TestWithoutResolution(t *testing.T) {
	c := scripted("any", count)
	s := quick(1)
	with := s.Estimate([]clock.Clock{c})
	s.WithoutResolution = true
	require.Less(t, s.Estimate([]clock.Clock{c}), with)
	measured, err := Run(context.Background(), []clock.Clock{c}, s, nil)
	require.NoError(t, err)
	require.Nil(t, measured.Clocks[0].Resolution)
	require.NotNil(t, measured.Clocks[0].Latency)
}

func measureOne(t *testing.T, c clock.Clock) compare.Clock {
	t.Helper()
	measured, err := Run(context.Background(), []clock.Clock{c}, quick(1), nil)
	require.NoError(t, err)
	require.Len(t, measured.Clocks, 1)
	return measured.Clocks[0]
}

func TestRunMeasuresRealClocks(t *testing.T) {
	var total, last time.Duration
	s := quick(1, 2, 5)
	s.Time = 30 * time.Millisecond // on a busy machine five threads need some time to read at all
	measured, err := Run(context.Background(), clock.Default(), s, func(done, of time.Duration) {
		require.GreaterOrEqual(t, done, last)
		require.LessOrEqual(t, done, of)
		total, last = of, done
	})
	require.NoError(t, err)
	require.False(t, measured.Interrupted)
	require.Equal(t, s.Estimate(clock.Default()), total)
	for _, c := range measured.Clocks {
		if !c.Available {
			require.NotEmpty(t, c.Reason, c.ID)
			continue
		}
		require.Len(t, c.Latency.SamplesNS, 6, c.ID)
		require.NotZero(t, c.Latency.Confidence, c.ID)
		require.LessOrEqual(t, c.Latency.MinNS, c.Latency.MedianNS, c.ID)
		require.Positive(t, c.TicksPerSecond, c.ID)
		require.Len(t, c.Throughput, 3, c.ID)
		for i, threads := range []int{1, 2, 5} {
			require.Equal(t, threads, c.Throughput[i].Threads)
			require.Positive(t, c.Throughput[i].ReadsPerSecond, c.ID)
			require.Equal(t, threads > s.CPUs, c.Throughput[i].Oversubscribed)
		}
	}
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
	measured, err := Run(context.Background(), []clock.Clock{c}, s, nil)
	require.NoError(t, err)
	require.True(t, measured.Clocks[0].Available)
	require.Equal(t, map[int]bool{s.Pin[0]: true}, seen)
}

// The thread of a pinned run may use one CPU, but the run all.
func TestPinnedRunLosesNoCPU(t *testing.T) {
	if thread.Pinnable(thread.Usable()) != nil {
		t.Skip("this build cannot pin threads")
	}
	s := quick(1, len(thread.Usable()))
	s.Pin = thread.Usable()
	measured, err := Run(context.Background(), []clock.Clock{scripted("any", count)}, s, nil)
	require.NoError(t, err)
	require.Empty(t, measured.Conditions.LostCPUs)
	require.False(t, measured.Clocks[0].Throughput[len(measured.Clocks[0].Throughput)-1].Oversubscribed)
}

// A quota of half a CPU is less than one thread can use.
func TestQuotaOversubscribesAndStretchesTheSpan(t *testing.T) {
	s := Settings{Time: 100 * time.Millisecond, CPUs: 4, Quota: 1.5, QuotaPeriod: 100 * time.Millisecond}
	for threads, want := range map[int]bool{1: false, 2: true, 4: true, 8: true} {
		require.Equal(t, want, s.oversubscribed(threads), threads)
	}
	require.Equal(t, 100*time.Millisecond, s.span(1))
	require.Equal(t, 300*time.Millisecond, s.span(2))
	require.Equal(t, 1, s.passes(2))
	require.Equal(t, 1, s.windows(2))
	s.Quota = 0.5
	require.True(t, s.oversubscribed(1))
	s.Quota = 6 // more than the CPUs have
	require.False(t, s.throttled(8))
	require.True(t, s.oversubscribed(8))
	require.Equal(t, 100*time.Millisecond, s.span(8))
}

// A pass of threads that share CPUs is divided into windows, which are samples. A pass that
// is too short for windows is one sample.
func TestOversubscribedPassesHaveWindows(t *testing.T) {
	s := Settings{Time: 100 * time.Millisecond, CPUs: 2}
	require.Equal(t, 1, s.windows(2))
	require.Equal(t, windowsPerPass, s.windows(3))
	s.Time = 4 * time.Millisecond
	require.Equal(t, 2, s.windows(3))
	s.Time = time.Millisecond
	require.Equal(t, 1, s.windows(3))
}

// A worker's rate is from its median slice, so that an interrupt in a few slices does not
// affect it. With too few slices, it is all its reads over its time.
func TestWorkersFigureIsItsMedianSlice(t *testing.T) {
	g, p := new(gate), pace{Chunk: 100, Slice: 10, Median: true}
	for j := range 9 {
		g.slices[1][j] = 20_000 // 20 ns/read
	}
	g.slices[1][4] = 5_000_000
	g.slots[1].sliced.Store(9)
	g.slots[1].reads.Store(3000)
	g.releasedNS.Store(1000)
	g.slots[1].endNS.Store(301_000)
	perSecond, ok := g.perSecond(1, p)
	require.True(t, ok)
	require.InEpsilon(t, 5e7, perSecond, 1e-9)
	// It had a CPU for 180 µs of a millisecond, which its slices do not show.
	g.slots[1].endNS.Store(1_001_000)
	perSecond, ok = g.perSecond(1, p)
	require.True(t, ok)
	require.InEpsilon(t, 3e6, perSecond, 1e-9)
	g.slots[1].sliced.Store(0)
	g.slots[1].endNS.Store(91_000)
	perSecond, ok = g.perSecond(1, p)
	require.True(t, ok)
	require.InEpsilon(t, 3000*1e9/90_000.0, perSecond, 1e-9)
	g.slots[1].endNS.Store(1000)
	_, ok = g.perSecond(1, p)
	require.False(t, ok, "a worker that ended before it began")
	g.reset(2)
	require.Zero(t, g.reads(2))
	require.Zero(t, g.slots[1].sliced.Load())
}

// A turn's sample is the median of its slices; an interrupt in a few of them affects only the
// mean.
func TestInterruptInATurnMovesTheMeanAlone(t *testing.T) {
	spins := 0
	reader := &script{next: count}
	interrupted := spinner(func(n int) {
		if spins++; spins == 3 {
			time.Sleep(200 * time.Millisecond)
		}
		reader.Spin(n)
	})
	sample := sampled(observe.TimeReads(interrupted, 10, 2*time.Millisecond, 100*time.Microsecond), true)
	require.Less(t, sample.median*2, sample.mean)
}

// A turn that is disturbed for most of the time still has fast slices.
func TestFastestSliceIsKept(t *testing.T) {
	spins := 0
	disturbed := spinner(func(int) {
		spins++
		wait := time.Millisecond
		if spins%3 == 0 {
			wait = 100 * time.Microsecond
		}
		for start := observe.Now(); observe.Now()-start < int64(wait); {
		}
	})
	sample := sampled(observe.TimeReads(disturbed, 10, 2*time.Millisecond, 100*time.Microsecond), true)
	// A turn has few fast slices, and another program may have the CPU in all of them.
	for tries := 0; tries < 20 && sample.fastest*2 >= sample.median; tries++ {
		sample = sampled(observe.TimeReads(disturbed, 10, 2*time.Millisecond, 100*time.Microsecond), true)
	}
	require.Less(t, sample.fastest*2, sample.median)
	require.GreaterOrEqual(t, sample.fastest, 10.0)
}

func TestSampleOfSlices(t *testing.T) {
	require.Equal(t, sample{median: 22, fastest: 20, mean: 25}, sampled([]float64{22, 20, 33}, true))
	require.Equal(t, sample{median: 22, fastest: 22, mean: 25}, sampled([]float64{22, 20, 33}, false), "too few ticks in a slice")
	require.Equal(t, sample{median: 22, fastest: 22, mean: 25}, sampled([]float64{22, -40, 93}, true), "the stopwatch went backwards")
	require.Equal(t, sample{median: 4, fastest: 4, mean: 4}, sampled([]float64{0, 0, 12}, true), "it hardly ever ticked")
}

func TestPinningToFewerCPUsThanThreadsOversubscribes(t *testing.T) {
	s := Settings{CPUs: 4, Pin: []int{0, 2}}
	require.False(t, s.oversubscribed(2))
	require.True(t, s.oversubscribed(3))
}

// The places are read once a run, not for every pass: here they are those of another machine.
func TestSeatsGiveEachWorkerACPUToBeginOn(t *testing.T) {
	const cpus = 512
	free := Settings{CPUs: cpus}
	for cpu := range cpus {
		free.places = append(free.places, cpu)
	}
	seat := free.affinities()
	begun := map[int]int{}
	for i := range 2 * cpus {
		require.Equal(t, thread.Any, seat(i).Pin)
		begun[seat(i).Begin]++
	}
	require.Len(t, begun, cpus)
	for cpu := range cpus {
		require.Equal(t, 2, begun[cpu], "CPU %d", cpu)
	}
	pinned := Settings{CPUs: 4, Pin: []int{3, 1}, places: free.places}.affinities()
	require.Equal(t, []int{3, 1, 3}, []int{pinned(0).Pin, pinned(1).Pin, pinned(2).Pin})
	require.Equal(t, thread.Any, pinned(0).Begin)
}

func TestPinToACPUThatIsGoneIsAnError(t *testing.T) {
	s := quick(1)
	s.Pin = []int{1000}
	_, err := Run(context.Background(), clock.Default(), s, nil)
	require.ErrorContains(t, err, "pin a thread to CPU 1000")
}

func TestClockThatDoesNotOpenIsARowWithAReason(t *testing.T) {
	absent := fake("absent", func() (clock.Reader, error) { return nil, errors.New("/dev/absent: no such file") })
	entries, err := Availability([]clock.Clock{absent, scripted("here", count)})
	require.NoError(t, err)
	require.True(t, entries[1].Available)
	c := measureOne(t, absent)
	require.Equal(t, c.Reason, entries[0].Reason)
	require.False(t, c.Available)
	require.Equal(t, "/dev/absent: no such file", c.Reason)
	require.Nil(t, c.Latency)
	require.Nil(t, c.Resolution)
}

func TestClockThatFailsWhileReadIsARowWithAReason(t *testing.T) {
	for _, after := range []int64{1, 10_000} {
		c := measureOne(t, fake("unplugged", func() (clock.Reader, error) {
			return &script{next: count, err: errUnplugged, fails: after}, nil
		}))
		require.False(t, c.Available, "after %d reads", after)
		require.Equal(t, "failed while it was read: no such device", c.Reason)
		require.Nil(t, c.Latency)
		require.Empty(t, c.Throughput)
	}
}

func TestClockThatFailsUnderAWorkerIsARowWithAReason(t *testing.T) {
	opened := 0
	c := measureOne(t, fake("unplugged", func() (clock.Reader, error) {
		opened++
		return &script{next: count, err: errUnplugged, fails: int64(opened - 1)}, nil
	}))
	require.False(t, c.Available)
	require.Contains(t, c.Reason, "no such device")
}

// That no second thread can open a clock concerns its throughput.
func TestClockThatOnlyOpensOnceHasNoThroughput(t *testing.T) {
	opened := 0
	measured, err := Run(context.Background(), []clock.Clock{fake("busy", func() (clock.Reader, error) {
		if opened++; opened > 1 {
			return nil, errors.New("device or resource busy")
		}
		return &script{next: count}, nil
	})}, quick(1), nil)
	require.NoError(t, err)
	c := measured.Clocks[0]
	require.True(t, c.Available, c.Reason)
	require.NotNil(t, c.Latency)
	require.NotNil(t, c.Resolution)
	require.Empty(t, c.Throughput)
	require.Equal(t, []result.Passes{
		{Threads: 1, Planned: fewestPasses, Reasons: []string{"busy: device or resource busy"}},
	}, measured.Conditions.Passes)
}

func TestCounterOfUnknownRateIsMeasuredAgainstTheStopwatch(t *testing.T) {
	c := fake("counter", nil)
	c.Hz, c.ReportedNS = 0, func() float64 { return 0 }
	c.Open = func() (clock.Reader, error) {
		return &script{next: func(int64) int64 { return observe.Now() / 100 }}, nil
	}
	measured := measureOne(t, c)
	require.InEpsilon(t, 1e7, measured.TicksPerSecond, 0.01)
	require.InEpsilon(t, 100, measured.Resolution.TickNS, 0.01)
}

// The reported period of a device is used: its counter may wrap around between the two looks
// of a measurement.
func TestCounterThatStatesItsPeriodIsNotMeasured(t *testing.T) {
	c := scripted("stated", count)
	c.Hz, c.ReportedNS = 0, func() float64 { return 10 }
	require.Equal(t, 1e8, measureOne(t, c).TicksPerSecond)
}

func TestTurnsAreShortUnderAQuota(t *testing.T) {
	defer observe.TryStopwatch()
	observe.AssumeStopwatch(20, 20)
	require.Equal(t, latencyTurn, Settings{}.turn())
	require.Equal(t, 500*time.Microsecond, Settings{Quota: 0.1, QuotaPeriod: 100 * time.Millisecond}.turn())
	require.Equal(t, latencyTurn, Settings{Quota: 4, QuotaPeriod: 100 * time.Millisecond}.turn())
}

// A run may follow a change of the kernel's clock source, and so of the stopwatch's cost.
func TestRunTriesItsStopwatchAnew(t *testing.T) {
	observe.AssumeStopwatch(time.Hour, time.Hour)
	measureOne(t, scripted("any", count))
	require.Less(t, observe.StopwatchCost(), time.Second)
	require.Less(t, observe.StopwatchTick(), time.Second)
}

func TestInterruptedRunReportsWhatIsComplete(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := quick(1, 2)
	s.Time = time.Hour
	measured, err := Run(ctx, clock.Default(), s, func(done, total time.Duration) {
		if done > total-2*2*time.Hour*time.Duration(len(clock.Default())) {
			time.AfterFunc(200*time.Millisecond, cancel) // during the first throughput measurement
		}
	})
	require.NoError(t, err)
	require.True(t, measured.Interrupted)
	for _, c := range measured.Clocks {
		if c.Available {
			require.Empty(t, c.Throughput, c.ID)
		}
	}
}

func TestRunThatNeverBegan(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	measured, err := Run(ctx, clock.Default(), quick(1), nil)
	require.NoError(t, err)
	require.True(t, measured.Interrupted)
	for _, c := range measured.Clocks {
		require.Nil(t, c.Latency, c.ID)
		require.Nil(t, c.Resolution, c.ID)
	}
}

func TestDefaultsFillTheirBudgets(t *testing.T) {
	require.Equal(t, 700, Settings{}.DefaultRounds(1), "and as many turns of the floor")
	require.Equal(t, 77, Settings{}.DefaultRounds(17), "as many clocks as Linux has on amd64")
	for clocks := 1; clocks < 30; clocks++ {
		span := time.Duration(Settings{}.DefaultRounds(clocks)*(clocks+1)) * latencyTurn
		require.InDelta(t, roundsBudget, span, float64(30*latencyTurn), "%d clocks", clocks)
	}
	require.Equal(t, 40, Settings{}.DefaultRounds(1000))
	require.Equal(t, 700, Settings{Quota: 0.1, QuotaPeriod: 100 * time.Millisecond}.DefaultRounds(1), "of shorter turns")
	require.Equal(t, 100*time.Millisecond, Settings{Threads: []int{1}, CPUs: 1}.DefaultTime(1))
	require.Equal(t, shortestDefaultTime, Settings{Threads: DefaultThreads(192), CPUs: 192}.DefaultTime(1000))
}

// docs/measuring.md promises ten seconds. The rest of the program (facts, the TSC's rates asleep and
// under load, the kernel entries) takes less than one second.
func TestDefaultRunTakesLessThanTenSeconds(t *testing.T) {
	const beside = time.Second
	for _, cpus := range []int{1, 2, 8, 24, 64, 192, 512} {
		s := Settings{Threads: DefaultThreads(cpus), CPUs: cpus}
		clocks := clock.Default()
		s.Rounds, s.Time = s.DefaultRounds(len(clocks)), s.DefaultTime(len(clocks))
		require.Less(t, s.Estimate(clocks)+beside, 10*time.Second, "%d CPUs", cpus)
		for _, threads := range s.Threads {
			require.GreaterOrEqual(t, s.span(threads)/time.Duration(s.passes(threads)), shortestPass, "%d of %d CPUs", threads, cpus)
			require.GreaterOrEqual(t, s.passes(threads), fewestPasses)
		}
	}
}

// Threads that are not pinned run on other CPUs in the next pass: a clock that is slower on
// one CPU is slower for another thread each time.
func TestFairnessIsThatWithinAPass(t *testing.T) {
	m := &throughput{threads: 2}
	g := new(gate)
	for pass := range 4 {
		g.reset(2)
		g.releasedNS.Store(1000)
		for i := range 2 {
			g.slots[i].reads.Store(1000)
			g.slots[i].endNS.Store(101_000)
		}
		g.slots[pass%2].reads.Store(200)
		require.NoError(t, m.count(g, pace{Chunk: 100, Slice: 1}, nil))
	}
	r := m.result()
	require.InEpsilon(t, 0.2, r.Fairness, 1e-9)
	require.InEpsilon(t, 4*1200*1e9/400_000.0, r.CountedReadsPerSecond, 1e-9)
}

// Median slices leave out the interrupts of a worker; the plain count includes them.
func TestCountHasWhatTheMedianSliceLeavesOut(t *testing.T) {
	m := &throughput{threads: 1}
	g, p := new(gate), pace{Chunk: 100, Slice: 10, Median: true}
	g.releasedNS.Store(1000)
	for j := range 9 {
		g.slices[0][j] = 20_000 // 20 ns/read
	}
	g.slices[0][4] = 120_000
	g.slots[0].sliced.Store(9)
	g.slots[0].reads.Store(9000)
	g.slots[0].endNS.Store(281_000)
	require.NoError(t, m.count(g, p, nil))
	r := m.result()
	require.InEpsilon(t, 5e7, r.ReadsPerSecond, 1e-9)
	require.InEpsilon(t, 9000*1e9/280_000.0, r.CountedReadsPerSecond, 1e-9)
}

// A worker checks its deadline each millisecond, however long the slices of a pass are.
func TestWorkersOfALongPassLookAtTheirDeadline(t *testing.T) {
	r := &runner{settings: Settings{CPUs: 1}}
	short := r.pace(&throughput{subject: &subject{readNS: 20}, threads: 1}, 5*time.Millisecond)
	long := r.pace(&throughput{subject: &subject{readNS: 20}, threads: 1}, time.Hour)
	require.True(t, short.Keep)
	require.True(t, long.Keep)
	require.Greater(t, long.Slice, short.Slice)
	require.Equal(t, short.Check, long.Check)
}

// A worker that is not stopped, because the runner gets no CPU for example, ends by itself.
func TestWorkerEndsWhenNobodyStopsIt(t *testing.T) {
	g := new(gate)
	g.releasedNS.Store(observe.Now())
	for _, keep := range []bool{true, false} {
		p := pace{Chunk: 10, Slice: 10, Check: 20, Keep: keep, Yield: true, SpanNS: int64(time.Millisecond)}
		require.NoError(t, g.work(0, &script{next: count}, p))
		require.GreaterOrEqual(t, g.slots[0].endNS.Load(), g.releasedNS.Load()+p.SpanNS)
	}
}
