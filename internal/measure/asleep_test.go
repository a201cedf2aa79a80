package measure

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/observe"
)

// nanoseconds is a counter that makes a thousand million ticks a second.
func nanoseconds() clock.Clock {
	c := scripted("nanoseconds", nil)
	begun := time.Now()
	c.Hz, c.ReportedNS = 0, func() float64 { return 0 }
	c.Open = func() (clock.Reader, error) { return since{begun}, nil }
	return c
}

// since reads Go's own clock.
type since struct{ begun time.Time }

func (s since) Spin(int) {}

func (s since) Read(ticks []int64) {
	for i := range ticks {
		ticks[i] = int64(time.Since(s.begun))
	}
}

func TestRates(t *testing.T) {
	if time.Since(time.Now()) > time.Millisecond || observe.StopwatchTick() > time.Microsecond {
		t.Skip("Go's clock is too coarse here")
	}
	asleep, loaded := Rates(nanoseconds(), 50*time.Millisecond, 2)
	require.InEpsilon(t, 1e9, asleep, 0.02)
	require.InEpsilon(t, 1e9, loaded, 0.02)
}

// A stopwatch that ticks every 4 ms tells no rate in a tenth of a second: none is
// better than a wrong one.
func TestRatesByACoarseStopwatch(t *testing.T) {
	defer observe.TryStopwatch()
	observe.AssumeStopwatch(20, 4*time.Millisecond)
	asleep, loaded := Rates(nanoseconds(), 100*time.Millisecond, 1)
	require.Zero(t, asleep)
	require.Zero(t, loaded)
	require.Zero(t, Hz(nanoseconds(), 100*time.Millisecond))
}
