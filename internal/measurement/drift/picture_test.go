package drift

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A clock of constant rate has no residual, whatever the rate is. After a change of rate, the
// residual is that change.
func TestResidualsAreWhatTheRateDoesNotExplain(t *testing.T) {
	ppm := 10.0
	d := &Drift{Reference: "r", LoadedFromNS: 2e9, Clocks: []DriftedClock{
		{ID: "steady@cpu", Idle: &DriftRate{PPM: &ppm}}, {ID: "bent@cpu", Idle: &DriftRate{PPM: &ppm}},
		{ID: "unstated@cpu", Loaded: &DriftRate{}}, {ID: "unknown@cpu"}, {ID: "empty@cpu"},
	}}
	for i, rates := range [][2]float64{{10, 10}, {10, 12}, {0, 0}, {5, 5}} {
		for at := int64(0); at <= 4e9; at += 1e9 {
			offset := float64(min(at, 2e9))*rates[0]*1e-6 + float64(max(at-2e9, 0))*rates[1]*1e-6
			d.Clocks[i].Points = append(d.Clocks[i].Points, DriftPoint{AtNS: at, OffsetNS: offset})
		}
	}
	drawn := panels(d)
	require.Len(t, drawn, 4)
	require.InDeltaSlice(t, []float64{0, 0, 0, 0, 0}, drawn[0].Values, 1e-6)
	require.InDeltaSlice(t, []float64{0, 0, 0, 2000, 4000}, drawn[1].Values, 1e-6)
	require.InDeltaSlice(t, []float64{0, 0, 0, 0, 0}, drawn[2].Values, 1e-6)
	require.InDeltaSlice(t, []float64{0, 5000, 10000, 15000, 20000}, drawn[3].Values, 1e-6,
		"without a rate the offsets stay")
}

// Offsets are drawn as they are, with the rate, on a scale of their own; the residuals share another.
func TestOffsetsComeBeforeResiduals(t *testing.T) {
	ppm := 10.0
	d := &Drift{Clocks: []DriftedClock{{ID: "CLOCK_REALTIME@vdso", Idle: &DriftRate{PPM: &ppm}}, {ID: "ptp0@syscall"}}}
	for i := range d.Clocks {
		d.Clocks[i].Points = []DriftPoint{{AtNS: 0}, {AtNS: 1e9, OffsetNS: 10_000}}
	}
	lines := offsets(d).Lines
	require.Len(t, lines, 2)
	require.Equal(t, []float64{0, 10_000}, lines[0].Values)
	require.False(t, lines[0].Aside)
	require.True(t, lines[1].Aside)
	require.InDeltaSlice(t, []float64{0, 0}, panels(d)[0].Values, 1e-6)
}
