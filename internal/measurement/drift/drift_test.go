package drift

import (
	"bytes"
	"context"
	"math"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/document/result"
)

var both = Settings{Time: 6 * time.Second, LoadTime: 3 * time.Second, CPUs: 2}

// holds returns whether the true rate is in the interval.
func holds(t *testing.T, r *DriftRate, ppm float64) bool {
	t.Helper()
	require.NotNil(t, r)
	require.NotNil(t, r.PPM)
	require.Positive(t, r.IntervalPPM)
	return math.Abs(*r.PPM-ppm) <= r.IntervalPPM
}

func reasons(d Drift) map[string]string {
	all := map[string]string{}
	for _, c := range d.Clocks {
		all[c.ID] = c.Reason
	}
	return all
}

func TestPlantedRatesLieWithinTheirIntervals(t *testing.T) {
	const runs = 40
	plants := []struct {
		ppm, widest float64 // widest limits the mean of the intervals, in ppm
		tickNS      float64 // of a coarse clock
		wavy        bool
		held        [numberOfPhases]int
		width       float64
	}{
		{ppm: 50, widest: 0.1}, {ppm: 0, widest: 0.1}, {ppm: -7, widest: 1500, tickNS: 4e6},
		{ppm: 300, widest: 6000, tickNS: 15.625e6}, {ppm: 0, widest: 250e3, tickNS: 5e8}, {ppm: -20, widest: 30, wavy: true},
	}
	for seed := range uint64(runs) {
		w := newWorld(seed)
		w.readNS = 400 // the test does not check how tight the brackets are
		var clocks []clock.Clock
		for i, p := range plants {
			c := w.fast(strconv.Itoa(i), p.ppm)
			switch {
			case p.wavy:
				c = w.clock("wavy", 1e9, func(ns float64) int64 { return int64(ns*(1+p.ppm/1e6) + 1000*w.wave) })
			case p.tickNS > 0:
				c = w.coarse(strconv.Itoa(i), p.ppm, p.tickNS)
				// A watch of 40 ms is too short for the longest tick.
				c.ReportedNS = func() float64 { return p.tickNS }
			}
			clocks = append(clocks, c)
		}
		drift, err := w.run(t.Context(), clocks, w.reference(), both)
		require.NoError(t, err)
		for i, c := range drift.Clocks {
			require.Empty(t, c.Reason, c.ID)
			for phase, rate := range []*DriftRate{c.Idle, c.Loaded} {
				if holds(t, rate, plants[i].ppm) {
					plants[i].held[phase]++
				}
				plants[i].width += rate.IntervalPPM / runs / numberOfPhases
				require.InEpsilon(t, 1e9*(1+*rate.PPM/1e6), rate.Hz, 1e-12)
			}
		}
	}
	for _, p := range plants {
		require.Less(t, p.width, p.widest, "%v ppm", p.ppm)
		for _, held := range p.held {
			require.GreaterOrEqual(t, held, 93*runs/100, "%v ppm, %v", p.ppm, p.held)
		}
	}
}

// The scheduler stretches a bracket; its reading is up to half of the bracket off.
func TestRateLeavesOutTornReadings(t *testing.T) {
	readings := make([]reading, 500)
	for i := range readings {
		readings[i] = reading{atNS: 1e7 * float64(i), widthNS: 50, ticks: 1e7 * int64(i)}
		if i%40 == 7 {
			readings[i].widthNS, readings[i].ticks = 4e6, readings[i].ticks+19e5
		}
	}
	rate, err := meter{hz: 1e9, nominal: true, tickNS: 1, stepNS: 1}.rate(readings)
	require.NoError(t, err)
	require.True(t, holds(t, rate, 0))
	require.Less(t, rate.WorstResidualNS, 1.0)
	require.Equal(t, 500-13, rate.Readings)
}

func TestDocumentOfARun(t *testing.T) {
	w := newWorld(1)
	var told []time.Duration
	total := time.Duration(0)
	drift, err := run(t.Context(), []clock.Clock{w.fast("fast", 50), w.reference()}, w.reference(), both,
		func(done, of time.Duration) {
			told, total = append(told, done), of
		}, world{w.sleep, w.busy})
	require.NoError(t, err)
	require.Equal(t, "reference", drift.Reference)
	require.Len(t, drift.Clocks, 1, "the reference is no clock of its own")
	require.InDelta(t, 6e9, float64(drift.DurationNS), 50e6)
	require.InDelta(t, 3e9, float64(drift.LoadedFromNS), 50e6)
	require.IsNonDecreasing(t, told)
	require.Equal(t, 6*time.Second, told[len(told)-1])
	require.Equal(t, 6*time.Second, total)
	require.False(t, w.loaded, "the load goes on")

	c := drift.Clocks[0]
	require.Equal(t, 1e9, c.NominalHz)
	require.Greater(t, c.Idle.Readings, 200)
	require.Greater(t, c.Loaded.Readings, 100)
	require.InDelta(t, 3e9, float64(c.Idle.SpanNS), 100e6)
	require.Less(t, c.Idle.ResidualNS, 25.0)
	require.GreaterOrEqual(t, c.Idle.WorstResidualNS, c.Idle.ResidualNS)
	require.Equal(t, 0.95, c.Idle.Confidence)
	require.NotEmpty(t, c.Points)
	require.Zero(t, c.Points[0].OffsetNS)
	last := c.Points[len(c.Points)-1]
	require.InDelta(t, 50e-6*float64(last.AtNS-c.Points[0].AtNS), last.OffsetNS, 100)
	acceptable(t, drift)
}

// drift returns the result of a run against a sound reference.
func (w *fakeWorld) drift(t *testing.T, clocks ...clock.Clock) Drift {
	t.Helper()
	drift, err := w.run(t.Context(), clocks, w.reference(), both)
	require.NoError(t, err)
	acceptable(t, drift)
	return drift
}

// acceptable checks that the document's reader accepts the result.
func acceptable(t *testing.T, d Drift) {
	t.Helper()
	var text bytes.Buffer
	document := result.Document{Schema: result.Schema, Sections: []result.Section{&d}}
	require.NoError(t, document.Write(&text))
	read, err := result.Loader{Kind.New}.Read(&text)
	require.NoError(t, err)
	require.Len(t, Of(read).Clocks, len(d.Clocks))
	for _, c := range d.Clocks {
		require.LessOrEqual(t, len(c.Points), mostPoints)
	}
}

func TestCounters(t *testing.T) {
	w := newWorld(1)
	counter := func(id string) clock.Clock {
		return w.clock(id, 0, func(ns float64) int64 { return int64(ns * 2.5961) })
	}
	device := counter("device")
	device.ReportedNS = func() float64 { return 0.4 }
	tsc := counter("RDTSC@cpu")
	tsc.Path = clock.CPU
	s := both
	s.KernelTSCHz = 2.596e9
	drift, err := w.run(t.Context(), []clock.Clock{tsc, counter("unknown"), device}, w.reference(), s)
	require.NoError(t, err)
	known, unknown, stated := drift.Clocks[0], drift.Clocks[1], drift.Clocks[2]
	require.Equal(t, 2.596e9, known.NominalHz)
	require.True(t, holds(t, known.Idle, 0.1/2596*1e6))
	require.Equal(t, 2.5e9, stated.NominalHz, "what the device states comes first")
	require.Zero(t, unknown.NominalHz)
	for _, r := range []*DriftRate{known.Idle, known.Loaded, unknown.Idle, unknown.Loaded} {
		require.InDelta(t, 1, r.Hz/2.5961e9, r.IntervalPPM/1e6)
		require.Less(t, r.IntervalPPM, 0.1)
	}
	require.Nil(t, unknown.Idle.PPM)
	for _, p := range unknown.Points {
		require.Less(t, math.Abs(p.OffsetNS), 200.0, "points of an unknown rate are against the measured one")
	}
	acceptable(t, drift)
}

// The reference counts in units of 100 ns, the clock in microseconds.
func TestUnitsThatDiffer(t *testing.T) {
	w := newWorld(1)
	reference := w.clock("filetime", 1e7, func(ns float64) int64 { return 133e15 + int64(ns/100) })
	drift, err := w.run(t.Context(), []clock.Clock{w.clock("micro", 1e6,
		func(ns float64) int64 { return 179e13 + int64(ns*(1+1e-4)/1e3) })}, reference, both)
	require.NoError(t, err)
	require.True(t, holds(t, drift.Clocks[0].Idle, 100))
	require.True(t, holds(t, drift.Clocks[0].Loaded, 100))
	require.GreaterOrEqual(t, drift.Clocks[0].Idle.IntervalPPM, 1100/float64(drift.Clocks[0].Idle.SpanNS)*1e6-1e-9,
		"narrower than the ticks allow")
}

func TestClocksThatGiveNoRate(t *testing.T) {
	w := newWorld(1)
	cpu := w.fast("cpu", 0)
	cpu.Kind = clock.CPUTime
	missing := w.fast("missing", 0)
	missing.Open = func() (clock.Reader, error) { return nil, errUnplugged }
	backwards := func(hz float64) func(float64) int64 { return func(ns float64) int64 { return int64(1e15 - ns*hz/1e9) } }
	seldom := w.coarse("seldom", 0, 1e9)
	seldom.ReportedNS = func() float64 { return 1e9 }
	drift := w.drift(t,
		cpu, missing, seldom,
		w.clock("still", 1e9, func(float64) int64 { return epoch }),
		w.clock("backwards", 1e9, backwards(1e9)),
		w.clock("unknown backwards", 0, backwards(1e9)),
		w.failing("early", time.Millisecond),
		w.fast("good", 0))
	got := reasons(drift)
	require.Regexp(t, `^did not tick in the \d+(\.\d+)? s from its first reading to its last$`, got["still"])
	require.Regexp(t, `^ticks of 1 s need readings over 4 s, and the run gave \d(\.\d+)? s; use a longer --duration$`,
		got["seldom"])
	delete(got, "still")
	delete(got, "seldom")
	require.Equal(t, map[string]string{
		"cpu": "CPU time passes only while a thread runs", "missing": "no such device",
		"backwards": "went backwards over the run", "unknown backwards": "went backwards over the run",
		"early": "no such device", "good": "",
	}, got)
	for _, c := range drift.Clocks {
		require.Equal(t, c.ID == "good", c.Idle != nil && c.Loaded != nil, c.ID)
	}
}

// The results before the failure are kept.
func TestAClockThatFailsMidway(t *testing.T) {
	for _, at := range []time.Duration{2 * time.Second, 5 * time.Second} {
		w := newWorld(1)
		drift := w.drift(t, w.failing("failing", at), w.fast("good", 0))
		failing, good := drift.Clocks[0], drift.Clocks[1]
		require.Equal(t, "no such device", failing.Reason)
		require.True(t, holds(t, failing.Idle, 0))
		require.LessOrEqual(t, failing.Points[len(failing.Points)-1].AtNS, int64(at))
		require.Equal(t, at > 3*time.Second, failing.Loaded != nil)
		require.Empty(t, good.Reason)
		require.NotNil(t, good.Loaded)
	}
}

// A clock that stops under load makes no ticks during the load.
func TestAClockThatChangesMidway(t *testing.T) {
	w := newWorld(1)
	stops := w.drift(t, w.clock("stops", 1e9, func(ns float64) int64 { return int64(min(ns, 2.9e9)) })).Clocks[0]
	require.Empty(t, stops.Reason)
	require.InDelta(t, -1e6, *stops.Loaded.PPM, 1e-3)
	require.InDelta(t, 0, stops.Loaded.Hz, 1e-3)
}

func TestReferencesThatCannotServe(t *testing.T) {
	w := newWorld(1)
	edit := func(change func(*clock.Clock)) clock.Clock {
		c := w.reference()
		change(&c)
		return c
	}
	for want, reference := range map[string]clock.Clock{
		"reference reference: no such device": edit(func(c *clock.Clock) {
			c.Open = func() (clock.Reader, error) { return nil, errUnplugged }
		}),
		"reference reference: CPU time passes only while a thread runs":                                      edit(func(c *clock.Clock) { c.Kind = clock.CPUTime }),
		"reference reference: how many ticks it makes in a second is not known; take a clock that states it": edit(func(c *clock.Clock) { c.Hz = 0 }),
		"reference unplugged: no such device":                                                                w.failing("unplugged", 0),
	} {
		drift, err := w.run(t.Context(), []clock.Clock{w.fast("fast", 0)}, reference, both)
		require.EqualError(t, err, want)
		require.Equal(t, map[string]string{"fast": "the run ended before it was read"}, reasons(drift))
	}
}

// The results before the failure of the reference are kept too.
func TestReferencesThatFailMidway(t *testing.T) {
	for want, reference := range map[string]func(*fakeWorld) clock.Clock{
		`^reference a: no such device$`: func(w *fakeWorld) clock.Clock { return w.failing("a", 2*time.Second) },
		`^reference a: went back by .*s; take a clock that is never set$`: func(w *fakeWorld) clock.Clock {
			return w.clock("a", 1e9, func(ns float64) int64 {
				if ns > 2e9 {
					ns -= 1e9
				}
				return int64(ns)
			})
		},
		`^reference a: went ahead by 1,79\d,\d\d\d,\d\d\d s; take a clock that is never set$`: func(w *fakeWorld) clock.Clock {
			return w.clock("a", 1e9, func(ns float64) int64 {
				if ns > 2e9 {
					ns += epoch
				}
				return int64(ns)
			})
		},
		`^reference a: did not move in 3(\.\d+)? s; take a clock that does$`: func(w *fakeWorld) clock.Clock {
			return w.clock("a", 1e9, func(ns float64) int64 { return int64(min(ns, 2e9)) })
		},
	} {
		w := newWorld(1)
		drift, err := w.run(t.Context(), []clock.Clock{w.fast("fast", 0)}, reference(w), both)
		require.Error(t, err)
		require.Regexp(t, want, err.Error())
		require.InDelta(t, 2e9, float64(drift.DurationNS), 1e8)
		require.NotNil(t, drift.Clocks[0].Idle)
		require.Nil(t, drift.Clocks[0].Loaded)
		acceptable(t, drift)
	}
}

func TestCancelled(t *testing.T) {
	for _, at := range []struct {
		ns           float64
		idle, loaded bool
	}{{1e9, true, false}, {4.5e9, true, true}, {5e7, false, false}} {
		w := newWorld(1)
		ctx, cancel := context.WithCancel(t.Context())
		w.slept = func() {
			if w.ns > at.ns {
				cancel()
			}
		}
		drift, err := w.run(ctx, []clock.Clock{w.fast("fast", 50)}, w.reference(), both)
		cancel()
		require.NoError(t, err)
		c := drift.Clocks[0]
		require.Equal(t, at.idle, c.Idle != nil, at)
		require.Equal(t, at.loaded, c.Loaded != nil, at)
		require.Equal(t, at.loaded, drift.LoadedFromNS > 0, at)
		require.InDelta(t, at.ns, float64(drift.DurationNS), 30e6)
		require.False(t, w.loaded)
		if at.idle {
			require.True(t, holds(t, c.Idle, 50))
			continue
		}
		require.Regexp(t, `^a rate needs 10 readings and the run gave \d; use a longer --duration$`, c.Reason)
	}
}

func TestSettings(t *testing.T) {
	for _, test := range []struct {
		s            Settings
		idle, loaded bool
		reason       string
	}{
		{Settings{Time: time.Second}, true, false, ""},
		{Settings{Time: time.Second, LoadTime: time.Second}, true, false, ""}, // no CPU to keep busy
		{Settings{Time: time.Second, CPUs: 2}, true, false, ""},
		{Settings{Time: time.Second, LoadTime: 2 * time.Second, CPUs: 2}, false, true, ""},
		{Settings{}, false, false, "a rate needs 10 readings and the run gave 1; use a longer --duration"},
		{Settings{Time: -time.Second}, false, false,
			"a rate needs 10 readings and the run gave 1; use a longer --duration"},
	} {
		w := newWorld(1)
		drift, err := w.run(t.Context(), []clock.Clock{w.fast("a", 0)}, w.reference(), test.s)
		require.NoError(t, err)
		c := drift.Clocks[0]
		require.Equal(t, test.idle, c.Idle != nil, test)
		require.Equal(t, test.loaded, c.Loaded != nil, test)
		require.Equal(t, test.loaded, drift.LoadedFromNS > 0, test)
		require.Equal(t, test.reason, c.Reason)
	}
}

// A run of two days sweeps 200,000 times and keeps 2048 slots.
func TestALongRunStaysSmall(t *testing.T) {
	w := newWorld(1)
	w.readNS = 100e3 // too slow for more than a few brackets
	sweeps := 0
	drift, err := run(t.Context(), []clock.Clock{w.fast("fast", 0.01)}, w.reference(),
		Settings{Time: 200_000 * time.Second},
		func(time.Duration, time.Duration) { sweeps++ }, world{w.sleep, w.busy})
	require.NoError(t, err)
	require.Greater(t, sweeps, 190_000)
	c := drift.Clocks[0]
	require.LessOrEqual(t, c.Idle.Readings, mostReadings)
	require.Greater(t, c.Idle.Readings, mostReadings/3)
	require.True(t, holds(t, c.Idle, 0.01), "%v ± %v", *c.Idle.PPM, c.Idle.IntervalPPM)
	require.Less(t, c.Idle.IntervalPPM, 1e-4)
	require.LessOrEqual(t, len(c.Points), mostPoints)
	acceptable(t, drift)
}

// Real clocks: only the plausibility of the results is checked.
func TestClocksOfThisMachine(t *testing.T) {
	var reference *clock.Clock
	for _, c := range clock.Catalog() {
		if _, err := c.Open(); err == nil && c.Kind == clock.Monotonic && c.Hz > 0 {
			reference = &c
			break
		}
	}
	require.NotNil(t, reference, "every system has a monotonic clock")
	drift, err := Run(t.Context(), clock.Catalog(), *reference,
		Settings{Time: 600 * time.Millisecond, LoadTime: 300 * time.Millisecond, CPUs: runtime.NumCPU()}, nil)
	require.NoError(t, err)
	require.Len(t, drift.Clocks, len(clock.Catalog())-1)
	acceptable(t, drift)
	for _, c := range drift.Clocks {
		require.True(t, c.Reason != "" || c.Idle != nil || c.Loaded != nil, c.ID)
		for _, r := range []*DriftRate{c.Idle, c.Loaded} {
			if r != nil && reference.ID == "CLOCK_MONOTONIC@vdso" && c.ID == "CLOCK_MONOTONIC_RAW@vdso" {
				require.InDelta(t, 1e9, r.Hz, 1e6)
				require.InDelta(t, 0, *r.PPM, 1000)
			}
		}
	}
}
