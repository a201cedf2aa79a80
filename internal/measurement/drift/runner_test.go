package drift

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
)

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
