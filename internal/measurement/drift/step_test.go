package drift

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
)

// set returns a clock that runs 50 ppm too fast, and is set by this much at each of the
// times.
func (w *fakeWorld) set(id string, hz float64, by time.Duration, at ...time.Duration) clock.Clock {
	return w.clock(id, hz, func(ns float64) int64 {
		ticks := int64(1e9*hz/1e9) + int64(ns*(1+50e-6)*hz/1e9)
		for _, at := range at {
			if ns > float64(at) {
				ticks += int64(float64(by) * hz / 1e9)
			}
		}
		return ticks
	})
}

// A step is reported, and does not change the rates, however large it is and whenever it
// happens.
func TestStepsAreNamed(t *testing.T) {
	const asleepAt, loadedAt = 1100 * time.Millisecond, 4700 * time.Millisecond
	for _, hz := range []float64{1e9, 1e7} {
		for _, test := range []struct {
			by   time.Duration
			at   []time.Duration
			want string
		}{
			{time.Hour, []time.Duration{asleepAt}, `^stepped by 3,600 s after 1\.1\d? s; only the longest part without a step shows its rate$`},
			{-time.Hour, []time.Duration{asleepAt}, `^stepped by -3,600 s after 1\.1`},
			{-time.Hour, []time.Duration{loadedAt}, `^stepped by -3,600 s after 4\.7`},
			{time.Millisecond, []time.Duration{asleepAt}, `^stepped by (1 ms|999 µs) after 1\.1\d? s;`},
			{-time.Millisecond, []time.Duration{loadedAt}, `^stepped by -(1 ms|999 µs) after 4\.7\d? s;`},
			{time.Second, []time.Duration{asleepAt, loadedAt}, `^stepped 2 times, the farthest by (1 s|999 ms) after `},
			// A machine without a battery wakes in 1970 and is set from the network.
			{56 * 365 * 24 * time.Hour, []time.Duration{asleepAt}, `^stepped by 1,766,\d\d\d,\d\d\d s after 1\.1`},
		} {
			w := newWorld(1)
			c := w.drift(t, w.set("set", hz, test.by, test.at...)).Clocks[0]
			require.Regexp(t, test.want, c.Reason)
			require.True(t, holds(t, c.Idle, 50), "%v: %+v", test, c.Idle)
			require.True(t, holds(t, c.Loaded, 50), "%v: %+v", test, c.Loaded)
			for _, p := range c.Points {
				require.Less(t, math.Abs(p.OffsetNS), 1e6)
			}
		}
	}
}

// These are not steps: a clock that is slewed at the kernel's limit, a clock with another rate under load, a late tick,
// and a run that was stopped.
func TestWhatIsNoStep(t *testing.T) {
	w := newWorld(1)
	late := w.clock("late", 1e9, func(ns float64) int64 {
		if into := math.Mod(ns, 1e9); into < 3e8 {
			ns -= into
		}
		return int64(ns/4e6) * 4e6
	})
	late.Coarse = true
	stopped := false
	w.slept = func() {
		if w.ns > 2e9 && !stopped {
			stopped = true
			w.ns += 10e9
		}
	}
	s := both
	s.Time += 10 * time.Second
	drift, err := w.run(t.Context(), []clock.Clock{
		w.clock("slewed", 1e9, func(ns float64) int64 { return int64(ns + 0.1*min(max(0, ns-1e9), 3e8)) }),
		w.clock("loaded", 1e9, func(ns float64) int64 { return int64(ns + 0.01*max(0, ns-13e9)) }),
		w.fast("fast", 900), w.clock("backwards", 1e9, func(ns float64) int64 { return epoch - int64(ns) }), late,
	}, w.reference(), s)
	require.NoError(t, err)
	for _, c := range drift.Clocks {
		require.NotContains(t, c.Reason, "stepped", c.ID)
	}
}

// In a long run the sweeps are up to a second apart, and one change has a whole slew: adjtime(3) spreads its
// correction over a second.
func TestSlewBetweenTwoReadingsIsNoStep(t *testing.T) {
	w := newWorld(1)
	slewed := w.clock("slewed", 1e9, func(ns float64) int64 { return int64(ns + 300e-6*min(max(0, ns-2000e9), 1e9)) })
	drift, err := w.run(t.Context(), []clock.Clock{slewed}, w.reference(), Settings{Time: time.Hour})
	require.NoError(t, err)
	require.Empty(t, drift.Clocks[0].Reason)
}

// The rate of the counter is unknown.
func TestStepOfACounter(t *testing.T) {
	w := newWorld(1)
	counter := w.set("counter", 2.5e9, time.Minute, 500*time.Millisecond)
	counter.Hz = 0
	c := w.drift(t, counter).Clocks[0]
	require.Regexp(t, `^stepped by 60 s after `, c.Reason)
	require.InDelta(t, 2.5e9*(1+50e-6), c.Idle.Hz, c.Idle.Hz*c.Idle.IntervalPPM/1e6)
}

// A phase that is too short between its steps has its own reason.
func TestPhaseThatStepsTellNothing(t *testing.T) {
	w := newWorld(1)
	var at []time.Duration
	for ms := 3000; ms < 6000; ms += 50 {
		at = append(at, time.Duration(ms)*time.Millisecond)
	}
	c := w.drift(t, w.set("set", 1e9, -time.Hour, at...)).Clocks[0]
	require.True(t, holds(t, c.Idle, 50))
	require.Nil(t, c.Loaded)
	require.Regexp(t, `^stepped \d\d times, .*; under load: a rate needs 10 readings and the run gave \d; use a longer --duration$`, c.Reason)
}
