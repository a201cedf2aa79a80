package measure

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/measurement/compare"
)

func newWatcher() *watcher { return &watcher{Steps: observe.Steps{Keep: mostSteps}} }

// Add a row for each way in which values step.
func TestResolution(t *testing.T) {
	for name, test := range map[string]struct {
		next func(i int64) int64
		want compare.Resolution
	}{
		"finer than a read, in its unit": {func(i int64) int64 { return i * 20 },
			compare.Resolution{FinerThanRead: true, TickNS: 1}},
		"repeats": {func(i int64) int64 { return i / 40 * 1000 },
			compare.Resolution{TickNS: 1000}},
		"24 MHz in ns, read every 10 ns": {func(i int64) int64 { return int64(float64(i*10*24/1000) * 1000 / 24) },
			compare.Resolution{TickNS: 42}},
		"a few repeats are an accident": {func(i int64) int64 { return (i - max(0, 1-i%5000)) * 20 },
			compare.Resolution{FinerThanRead: true, TickNS: 1}},
		"stands, and is not guessed": {func(int64) int64 { return 7 }, compare.Resolution{}},
		"goes backwards": {func(i int64) int64 { return i*20 - 320*(i%1000/999) }, compare.Resolution{
			FinerThanRead: true, TickNS: 1, WorstBackwardsNS: 300,
		}},
	} {
		got := ran(t, quick(1), scripted(name, test.next)).Clocks[0].Resolution
		require.Equal(t, test.want.WorstBackwardsNS > 0, got.Backwards > 0, name)
		require.Equal(t, test.want.TickNS > 0, got.Ticks > 0, name)
		require.InDelta(t, test.want.TickNS, got.TickNS, 1, name)
		require.Equal(t, test.want.FinerThanRead, got.FinerThanRead, name)
		require.Equal(t, test.want.WorstBackwardsNS, got.WorstBackwardsNS, name)
		if got.Ticks == 0 {
			require.GreaterOrEqual(t, got.WatchedNS, int64(watchAtMost), name)
		}
	}
}

// A clock that counts seconds has no finer tick, also if it did not tick.
func TestClockOfSeconds(t *testing.T) {
	var w watcher
	w.watch(&script{next: func(int64) int64 { return 7 }}, 50, 5*time.Millisecond)
	require.True(t, w.slow())
	require.Equal(t, 1e9, w.result(1, 0).TickNS)
	require.Zero(t, w.result(1e9, 0).TickNS)
}

// A clock that steps by 1 ms and by 16 ms has no common step. Steps of a thread that was away may be several ticks:
// they show no tick.
func TestUnevenStepsAreNotNamedByTheirMedian(t *testing.T) {
	for name, c := range map[string]struct {
		steps           []int64
		late            []int64
		tick, low, high float64
	}{
		"even":        {steps: []int64{4, 4, 4, 4, 4, 4}, tick: 4e9},
		"one is late": {steps: []int64{4, 4, 4, 4, 4, 90}, tick: 4e9},
		"by a half":   {steps: []int64{1, 2, 1, 2, 1, 2}, tick: 1.5e9},
		"uneven":      {steps: []int64{16, 1, 16, 1, 2, 16}, tick: 9e9, low: 1e9, high: 16e9},
		"away":        {late: []int64{8}},
		"partly away": {steps: []int64{4}, late: []int64{8, 12}, tick: 4e9},
	} {
		w, at := newWatcher(), int64(0)
		w.watchedNS = time.Minute.Nanoseconds()
		w.See([]int64{at}, false)
		see := func(steps []int64, away bool) {
			for _, step := range steps {
				at += step
				w.See([]int64{at, at, at}, away)
			}
		}
		see(c.steps, false)
		see(c.late, true)
		r := w.result(1, 0)
		require.Equal(t, []float64{c.tick, c.low, c.high}, []float64{r.TickNS, r.TickLowNS, r.TickHighNS}, name)
		require.EqualValues(t, len(c.steps)+len(c.late), r.Ticks, name)
		require.True(t, w.slow(), name)
	}
}

// A thread that loses its CPU between two values, before it reads the stopwatch, does not mistake the gap for a tick: 4
// ms is not "4 ms to 464 ms".
func TestGapsAreNoTicks(t *testing.T) {
	const tick = 4 * time.Millisecond
	begun := observe.Now()
	value := func(int64) int64 { return (observe.Now() - begun) / int64(tick) * int64(tick) }
	late := func(reads *int64) *script { // the thread loses its CPU after each value
		return &script{next: func(i int64) int64 {
			got := value(i)
			if *reads++; *reads%300 == 0 {
				time.Sleep(10 * tick)
			}
			return got
		}}
	}
	reads := int64(0)
	var w watcher
	for range 3 {
		w.watch(late(&reads), 1e6, watchAtMost)
		time.Sleep(10 * tick)
	}
	for _, step := range w.Kept {
		require.LessOrEqual(t, step, float64(2*tick))
	}
	require.Positive(t, w.Forward)
}
