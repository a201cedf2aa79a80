package observe

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/test/need"
)

// nanoseconds is a counter of 1e9 ticks/s.
func nanoseconds() clock.Clock {
	begun := time.Now()
	return clock.Clock{
		ID: "nanoseconds", ReportedNS: func() float64 { return 0 },
		Open: func() (clock.Reader, error) { return since{begun}, nil },
	}
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
	if time.Since(time.Now()) > time.Millisecond || StopwatchTick() > time.Microsecond {
		need.Missing(t, "fine clock", "Go's clock is too coarse here")
	}
	// Another program may have the CPU at an end of either span.
	var asleep, loaded float64
	for tries := 0; tries < 10 && math.Abs(asleep/1e9-1)+math.Abs(loaded/1e9-1) > 0.02; tries++ {
		asleep, loaded = Rates(nanoseconds(), 50*time.Millisecond, 2)
	}
	require.InEpsilon(t, 1e9, asleep, 0.02)
	require.InEpsilon(t, 1e9, loaded, 0.02)
}

// A stopwatch that ticks every 4 ms is too coarse for the rate over a tenth of a second. The rate is then unknown, not
// wrong.
func TestRatesByACoarseStopwatch(t *testing.T) {
	defer TryStopwatch()
	AssumeStopwatch(20, 4*time.Millisecond)
	asleep, loaded := Rates(nanoseconds(), 100*time.Millisecond, 1)
	require.Zero(t, asleep)
	require.Zero(t, loaded)
	require.Zero(t, Hz(nanoseconds(), 100*time.Millisecond))
}
