package measure

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/document/result"
)

// A worker that is late or cannot work costs the figure of its pass, and neither the clock nor
// another figure.
func TestWorkerThatFailsCostsItsFigureAlone(t *testing.T) {
	for _, why := range []string{"a thread got no time on any CPU for 2.04s", "too many open files", "worker 1 of 4 ended before it began"} {
		team := &fakeTeam{gone: never, fails: func(c clock.Clock, n int) error {
			if c.ID == "a" && n == 4 {
				return errors.Join(errors.New(why), errors.New("another worker"))
			}
			return nil
		}}
		measured := losing(t, Settings{Threads: []int{1, 2, 4}}, team, four)
		require.NoError(t, measured.Spoilt)
		for _, c := range measured.Clocks {
			require.True(t, c.Available, "%s: %s", c.ID, c.Reason)
			require.Len(t, c.Latency.SamplesNS, 10)
			require.NotNil(t, c.Resolution)
			for _, threads := range []int{1, 2} {
				require.Len(t, of(t, c, threads).SamplesReadsPerSecond, passesPerMeasurement)
			}
		}
		require.Len(t, measured.Clocks[0].Throughput, 2)
		require.Len(t, measured.Clocks[1].Throughput, 3)
		require.Equal(t, []result.Passes{
			{Threads: 4, Planned: 2 * passesPerMeasurement, Complete: passesPerMeasurement, Reasons: []string{"a: " + why}},
		}, noteworthy(measured.Conditions.Passes))
		require.Equal(t, 5*passesPerMeasurement+1, team.starts, "it is not tried again")
	}
}

// A figure keeps the passes before the one that failed.
func TestFigureKeepsItsPassesBeforeTheLateOne(t *testing.T) {
	passes := 0
	team := &fakeTeam{gone: never, fails: func(c clock.Clock, _ int) error {
		if c.ID != "a" {
			return nil
		}
		if passes++; passes <= 7 {
			return nil
		}
		return errors.New("late")
	}}
	measured := losing(t, Settings{Threads: []int{2}}, team, four)
	require.Len(t, of(t, measured.Clocks[0], 2).SamplesReadsPerSecond, 7)
	require.Len(t, of(t, measured.Clocks[1], 2).SamplesReadsPerSecond, passesPerMeasurement)
}

// Of the errors of a worker only a failed read is one of the clock.
func TestWorkerThatCannotReadTheClockConcernsTheClock(t *testing.T) {
	team := &fakeTeam{gone: never, fails: func(c clock.Clock, _ int) error {
		if c.ID == "a" {
			return errors.Join(&failedRead{errUnplugged})
		}
		return nil
	}}
	measured := losing(t, Settings{Threads: []int{1, 2}}, team, four)
	require.False(t, measured.Clocks[0].Available)
	require.Equal(t, "failed while it was read: no such device", measured.Clocks[0].Reason)
	require.True(t, measured.Clocks[1].Available)
	require.Empty(t, noteworthy(measured.Conditions.Passes), "the clock has its own reason")
}

// fakeTime is a stopwatch that passes as a test wants it.
type fakeTime struct{ ns int64 }

func (p *fakeTime) now() int64 { return p.ns }

// slowly returns a runner whose passes of n threads each take this time on the planted stopwatch,
// and whose turns of latency take the other.
func slowly(p *fakeTime, limit, turn time.Duration, pass func(n int) time.Duration, threads ...int) *runner {
	team := &fakeTeam{gone: never, fails: func(_ clock.Clock, n int) error {
		p.ns += int64(pass(n))
		return nil
	}}
	return &runner{
		settings: Settings{Threads: threads, Limit: limit}, team: team, usable: four, now: p.now,
		progress: func(time.Duration, time.Duration) { p.ns += int64(turn) },
	}
}

func TestRunEndsAtItsLimit(t *testing.T) {
	const limit, slow = 10 * time.Second, time.Second
	p := new(fakeTime)
	pass := func(n int) time.Duration {
		if n > 2 {
			return slow
		}
		return time.Millisecond
	}
	measured := running(t, slowly(p, limit, time.Millisecond, pass, 1, 2, 4))
	require.LessOrEqual(t, p.ns, int64(limit+slow), "the last pass begins before the limit")
	require.Zero(t, measured.Conditions.CompleteRounds, "all rounds are complete")
	many := 0
	for _, c := range measured.Clocks {
		require.Len(t, c.Latency.SamplesNS, 10)
		require.Len(t, of(t, c, 1).SamplesReadsPerSecond, passesPerMeasurement)
		require.Len(t, of(t, c, 2).SamplesReadsPerSecond, passesPerMeasurement)
		many += len(of(t, c, 4).SamplesReadsPerSecond)
	}
	require.Positive(t, many)
	require.Equal(t, []result.Passes{
		{Threads: 4, Planned: 2 * passesPerMeasurement, Complete: many, Reasons: []string{"the time was up"}},
	}, noteworthy(measured.Conditions.Passes))
}

// A pass that does not fit into its round waits for a later one: a short disturbance costs none.
func TestPassesWaitForALaterRound(t *testing.T) {
	p, passes := new(fakeTime), 0
	pass := func(int) time.Duration {
		if passes++; passes == 5 {
			return 4 * time.Second
		}
		return time.Millisecond
	}
	measured := running(t, slowly(p, 10*time.Second, time.Millisecond, pass, 1, 2))
	require.Empty(t, noteworthy(measured.Conditions.Passes))
	for _, c := range measured.Clocks {
		require.Len(t, of(t, c, 1).SamplesReadsPerSecond, passesPerMeasurement)
		require.Len(t, of(t, c, 2).SamplesReadsPerSecond, passesPerMeasurement)
	}
}

// However slow the machine is, there is a round of latency, and a pass of the smallest number of
// threads for each clock.
func TestRunWithoutTimeHasOneOfEach(t *testing.T) {
	p := new(fakeTime)
	measured := running(t, slowly(p, time.Nanosecond, time.Hour, func(int) time.Duration { return time.Hour }, 2, 4))
	require.Equal(t, 1, measured.Conditions.CompleteRounds)
	for _, c := range measured.Clocks {
		require.Len(t, c.Latency.SamplesNS, 1)
		require.Len(t, c.Throughput, 1)
		require.Len(t, of(t, c, 2).SamplesReadsPerSecond, 1)
	}
	require.Equal(t, []int{2, 4}, []int{measured.Conditions.Passes[0].Threads, measured.Conditions.Passes[1].Threads})
	measured = running(t, slowly(p, 0, time.Hour, func(int) time.Duration { return time.Hour }, 1, 4))
	require.Empty(t, noteworthy(measured.Conditions.Passes), "without a limit it takes any time")
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

// passOf returns the throughput of one pass with these workers.
func passOf(median bool, workers ...worked) (*throughput, error) {
	m := &throughput{threads: len(workers), subject: &subject{}}
	return m, m.count(gateOf(workers...), pace{Chunk: 100, Slice: 10, Median: median}, nil)
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
		"sound":                       {[]worked{sound, sound}, false},
		"a clock that does not scale": {[]worked{{0, 100 * ms, 20_000, times(20, 5*ms)}, {0, 100 * ms, 20_000, times(20, 5*ms)}}, false},
		"the same, no slice ended":    {[]worked{{0, ms, 200, nil}, {0, ms, 180, nil}}, false},
		"slow on one CPU":             {[]worked{sound, {0, 10 * ms, 1000, times(1, 10*ms)}}, false},
		"interrupted for a moment":    {[]worked{sound, {0, ms, 7000, append(times(6, 100*us), 400*us)}}, false},
		"started late":                {[]worked{sound, {40 * ms, 40*ms + 20*us, 200, nil}}, true},
		"started late, and read on":   {[]worked{sound, {40 * ms, 41 * ms, 10_000, times(10, 100*us)}}, true},
		"stopped in between":          {[]worked{sound, {0, 40 * ms, 4000, append(times(3, 100*us), 39*ms)}}, true},
	} {
		m, err := passOf(false, test.workers...)
		require.NoError(t, err, name)
		require.Equal(t, test.starved, m.starved == 1, name)
		require.Equal(t, 1, m.complete, name)
		m.oversubscribed = true // its threads wait for CPUs by intent
		require.NoError(t, m.count(gateOf(test.workers...), pace{Chunk: 100, Slice: 10}, nil), name)
		require.Equal(t, test.starved, m.starved == 1, name)
	}
}
