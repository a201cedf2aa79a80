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

func TestRateNeedsEnough(t *testing.T) {
	m := meter{hz: 1e9, tickNS: 1, stepNS: 1}
	none := func(float64) float64 { return 0 }
	_, err := m.rate(nil)
	require.EqualError(t, err, "a rate needs 10 readings and the run gave 0; use a longer --duration")
	_, err = m.rate(sweeps(fewest-1, none))
	require.EqualError(t, err, "a rate needs 10 readings and the run gave 9; use a longer --duration")
	_, err = m.rate(sweeps(fewest, none))
	require.NoError(t, err)
	m.stepNS = 4e7
	_, err = m.rate(sweeps(fewest, none))
	require.EqualError(t, err, "ticks of 40 ms need readings over 160 ms, and the run gave 90 ms; use a longer --duration")
}

// After a day, with an epoch added, an offset is still exact to a nanosecond: 1e-8 ppm.
func TestOffsetKeepsNanoseconds(t *testing.T) {
	first := reading{atNS: 12, ticks: epoch}
	require.Equal(t, 3.0, offset(reading{atNS: 12 + 86400e9, ticks: epoch + 86400e9 + 3}, first, 1e9))
}

func TestPointsAreTheTightestOfTheirParts(t *testing.T) {
	readings := sweeps(2500, func(float64) float64 { return 0 })
	for i := range readings {
		if i%3 == 1 {
			readings[i].widthNS = 20
		}
	}
	told := points(readings, readings[0], 1e9)
	require.Len(t, told, 834)
	for i, p := range told[:833] {
		require.Equal(t, int64(3*i+1)*1e7, p.AtNS)
		require.Zero(t, p.OffsetNS)
	}
	require.Len(t, points(readings[:1000], readings[0], 1e9), 1000)
	require.Len(t, points(readings[:1001], readings[0], 1e9), 501)
}
