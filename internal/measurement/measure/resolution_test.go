package measure

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/instrument/observe"
)

func newWatcher() *watcher { return &watcher{Steps: observe.Steps{Keep: mostSteps}} }

func TestClockFinerThanARead(t *testing.T) {
	c := measureOne(t, scripted("fine", func(i int64) int64 { return i * 20 }))
	require.True(t, c.Resolution.FinerThanRead)
	require.Equal(t, 1.0, c.Resolution.TickNS, "the unit of the values, not the cost of a read")
	require.Zero(t, c.Resolution.Backwards)
}

func TestClockThatRepeatsShowsItsTick(t *testing.T) {
	c := measureOne(t, scripted("microseconds", func(i int64) int64 { return i / 40 * 1000 }))
	require.False(t, c.Resolution.FinerThanRead)
	require.Equal(t, 1000.0, c.Resolution.TickNS)
}

// The counter has 24 MHz, in nanoseconds: steps of 41 and 42 ns, read every 10 ns.
func TestTickThatIsNoWholeNumber(t *testing.T) {
	c := measureOne(t, scripted("24 MHz", func(i int64) int64 { return int64(float64(i*10*24/1000) * 1000 / 24) }))
	require.False(t, c.Resolution.FinerThanRead)
	require.InDelta(t, 42, c.Resolution.TickNS, 1)
}

func TestFewRepeatsAreAnAccident(t *testing.T) {
	c := measureOne(t, scripted("clamped", func(i int64) int64 {
		if i%5000 == 0 {
			i--
		}
		return i * 20
	}))
	require.True(t, c.Resolution.FinerThanRead)
}

func TestClockThatStallsIsWatchedAndNotGuessed(t *testing.T) {
	c := measureOne(t, scripted("stopped", func(int64) int64 { return 7 }))
	require.Zero(t, c.Resolution.TickNS)
	require.Zero(t, c.Resolution.Ticks)
	require.False(t, c.Resolution.FinerThanRead)
	require.GreaterOrEqual(t, c.Resolution.WatchedNS, int64(watchAtMost))
}

func TestClockThatGoesBackwardsIsCaught(t *testing.T) {
	c := measureOne(t, scripted("warped", func(i int64) int64 {
		if i%1000 == 999 {
			return i*20 - 320
		}
		return i * 20
	}))
	require.Positive(t, c.Resolution.Backwards)
	require.Equal(t, 300.0, c.Resolution.WorstBackwardsNS)
}

// A clock with a tick of seconds does not tick while it is watched, but glances between other
// measurements see its step.
func TestGlancesSeeASlowTick(t *testing.T) {
	value := int64(0)
	reader := &script{next: func(int64) int64 { return value }}
	w := newWatcher()
	w.See([]int64{0}, false)
	require.True(t, w.slow())
	w.glancedNS = observe.Now()
	for range enoughTicks {
		w.glance(reader, 1)
		value++
		w.glance(reader, 1)
	}
	require.False(t, w.moved)
	require.False(t, w.slow())
	require.Equal(t, 1e9, w.result(1, 0).TickNS)
}

// A clock that steps by 1 ms and by 16 ms has no common step.
func TestUnevenStepsAreNotNamedByTheirMedian(t *testing.T) {
	for name, c := range map[string]struct {
		steps     []int64
		low, high float64
	}{
		"even":        {[]int64{4, 4, 4, 4, 4, 4}, 0, 0},
		"one is late": {[]int64{4, 4, 4, 4, 4, 90}, 0, 0},
		"by a half":   {[]int64{1, 2, 1, 2, 1, 2}, 0, 0},
		"uneven":      {[]int64{16, 1, 16, 1, 2, 16}, 1e9, 16e9},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWatcher()
			at := int64(0)
			w.See([]int64{at}, false)
			for _, step := range c.steps {
				at += step
				w.See([]int64{at, at, at}, false)
			}
			r := w.result(1, 0)
			require.Equal(t, []float64{c.low, c.high}, []float64{r.TickLowNS, r.TickHighNS})
			require.NotZero(t, r.TickNS)
		})
	}
}

// A step of a thread that lost its CPU may be several ticks: it counts only if there are no
// other steps.
func TestStepsSeenByAThreadThatWasAway(t *testing.T) {
	w := newWatcher()
	w.See([]int64{0, 0}, false)
	w.See([]int64{8, 8}, true)
	require.Equal(t, 8e9, w.result(1, 0).TickNS)
	require.True(t, w.slow())
	w.See([]int64{12, 12}, false)
	w.See([]int64{24, 24}, true)
	r := w.result(1, 0)
	require.Equal(t, 4e9, r.TickNS)
	require.EqualValues(t, 3, r.Ticks)
}

// A thread that loses its CPU twice in each tick still finds the tick.
func TestTickOfACoarseClockUnderInterruption(t *testing.T) {
	reads, value := 0, int64(0)
	reader := &script{next: func(int64) int64 {
		reads++
		switch reads % 30_000 {
		case 0:
			value++
		case 10_000, 20_000:
			time.Sleep(2 * awayFrom)
			value += 5
		}
		return value
	}}
	var w watcher
	w.watch(reader, 50)
	require.Equal(t, 1e9, w.result(1, 0).TickNS)
}

// If a step is no longer than the gap between glances, it may be many ticks: here half a
// microsecond of nanoseconds after a gap of a millisecond.
func TestGlancesDoNotGuessAFastTick(t *testing.T) {
	value := int64(0)
	reader := &script{next: func(int64) int64 { value += 500; return value }}
	w := newWatcher()
	w.See([]int64{0}, false)
	w.glancedNS = observe.Now()
	for range 10 {
		time.Sleep(time.Millisecond)
		w.glance(reader, 1e9)
	}
	require.Zero(t, w.Forward)
	require.True(t, w.moved)
	require.True(t, w.result(1e9, 0).Moved)
}
