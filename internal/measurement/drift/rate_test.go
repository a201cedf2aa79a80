package drift

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// sweeps returns readings of a clock without drift every 10 ms. late returns how late each is,
// by the elapsed part of the run.
func sweeps(n int, late func(part float64) float64) []reading {
	readings := make([]reading, n)
	for i := range readings {
		at := 1e7 * float64(i)
		readings[i] = reading{atNS: at, widthNS: 50, ticks: int64(at - late(float64(i)/float64(n-1)))}
	}
	return readings
}

// Brackets nearly in step with the ticks read a clock slightly later each time. The readings form a straight line
// without residuals, but the clock does not drift.
func TestABeatLiesWithinTheInterval(t *testing.T) {
	m := meter{hz: 1e9, nominal: true, tickNS: 4e6, stepNS: 1}
	for _, ramps := range []float64{0.3, 1, 1.5, 2, 7.3} {
		rate, err := m.rate(sweeps(500, func(part float64) float64 { return 4e6 * math.Mod(part*ramps, 1) }))
		require.NoError(t, err)
		require.LessOrEqual(t, math.Abs(*rate.PPM), rate.IntervalPPM, "%v ramps", ramps)
	}
	rate, err := m.rate(sweeps(500, func(part float64) float64 { return 4e6 * part * 0.999 }))
	require.NoError(t, err)
	require.InDelta(t, -4e6*0.999/4.99e9*1e6, *rate.PPM, 1)
	require.InDelta(t, 0, rate.ResidualNS, 1)
	require.InDelta(t, 4e6/4.99e9*1e6, rate.IntervalPPM, 1)
}

func TestRateLeavesOutWhatTheSchedulerTore(t *testing.T) {
	readings := sweeps(500, func(float64) float64 { return 0 })
	for i := 7; i < len(readings); i += 40 {
		readings[i].widthNS, readings[i].ticks = 4e6, readings[i].ticks+19e5
	}
	rate, err := meter{hz: 1e9, nominal: true, tickNS: 1, stepNS: 1}.rate(readings)
	require.NoError(t, err)
	require.InDelta(t, 0, *rate.PPM, rate.IntervalPPM)
	require.Less(t, rate.WorstResidualNS, 1.0)
	require.Equal(t, 500-13, rate.Readings)
}
