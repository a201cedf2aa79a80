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
