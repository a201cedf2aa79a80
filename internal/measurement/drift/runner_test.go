package drift

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
)

// script is a Reader that returns its values one after the other.
type script struct {
	values []int64
	next   int
}

func (s *script) Spin(int) {}

func (s *script) Read(ticks []int64) {
	for i := range ticks {
		ticks[i] = s.values[s.next]
		s.next++
	}
}

func scripted(hz float64, values ...int64) *subject {
	return &subject{clock: clock.Clock{ReportedNS: zero}, hz: hz, reader: &script{values: values}}
}

func TestSightTakesTheTightestBracket(t *testing.T) {
	// In ticks of 10 ns. The second bracket is before the current time of the run. The fourth ends before it begins, as
	// happens if a counter is read on two CPUs.
	reference := scripted(1e8, 1100, 1200, 900, 901, 1300, 1330, 1500, 1490, 1600, 60000)
	r := &runner{reference: reference, begun: 1000, elapsed: time.Microsecond}
	best, ok := r.sight(scripted(1e9, 1, 2, 3, 4, 5))
	require.True(t, ok)
	require.Equal(t, reading{atNS: 3150, widthNS: 300, ticks: 3}, best)
	require.Equal(t, 10, reference.reader.(*script).next, "200 µs were over")

	r = &runner{reference: scripted(1e8, 10, 5, 30000, 20000, 40000, 39999)}
	_, ok = r.sight(scripted(1e9, 1, 2, 3))
	require.False(t, ok, "the reference went back in every bracket")
}

func TestPausesAreNotInStep(t *testing.T) {
	r := &runner{dither: rand.New(rand.NewPCG(1, 2))}
	for into, mean := range map[time.Duration]time.Duration{0: narrowest, time.Minute: 4 * narrowest, 100 * time.Hour: longestPause} {
		short, long := 0, 0
		for range 1000 {
			pause := r.pause(into)
			require.GreaterOrEqual(t, pause, mean/2)
			require.LessOrEqual(t, pause, mean*3/2)
			if pause < mean*3/4 {
				short++
			}
			if pause > mean*5/4 {
				long++
			}
		}
		require.InDelta(t, 250, short, 60)
		require.InDelta(t, 250, long, 60)
	}
}

func TestWatchFindsTheTick(t *testing.T) {
	w := newWorld(1)
	w.readNS = 100
	r := &runner{reference: &subject{clock: w.reference()}}
	r.reference.open(0)
	stated := w.coarse("stated", 0, 1e9)
	stated.ReportedNS = func() float64 { return 1e9 }
	unit := w.clock("time", 1, func(ns float64) int64 { return int64(ns / 1e9) })
	for _, test := range []struct {
		clock clock.Clock
		want  float64
	}{
		{w.fast("fine", 0), 1},
		{w.coarse("4 ms", 0, 4e6), 4e6},
		{w.coarse("15.6 ms", 0, 15.625e6), 15.625e6},
		{stated, 1e9},
		{unit, 1},
	} {
		s := &subject{clock: test.clock}
		s.open(0)
		begun := w.ns
		r.findTick(s)
		require.Equal(t, test.want, s.tick, test.clock.ID)
		require.Less(t, w.ns-begun, 50e6)
	}
	// A clock that ticks about as often as it can be read, with the reference in between, is measured too.
	w.readNS = 40
	often := &subject{clock: w.coarse("100 ns", 0, 100)}
	often.open(0)
	r.findTick(often)
	require.InDelta(t, 100, often.tick, 0)
	w.readNS = 100
	// If a clock reports nothing, only a lower bound of its tick is known.
	silent := &subject{clock: w.coarse("silent", 0, 1e12)}
	silent.open(0)
	r.findTick(silent)
	require.InDelta(t, 40e6, silent.tick, 1e5)
}
