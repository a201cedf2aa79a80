package drift

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRatesChangedWhereIntervalsDoNotOverlap(t *testing.T) {
	rate := func(ppm, interval float64) *DriftRate {
		return &DriftRate{PPM: &ppm, Hz: 1e9 * (1 + ppm/1e6), IntervalPPM: interval}
	}
	unstated := func(hz, interval float64) *DriftRate { return &DriftRate{Hz: hz, IntervalPPM: interval} }
	old := &Drift{Reference: "r", Clocks: []DriftedClock{
		{ID: "same", NominalHz: 1e9, Asleep: rate(5, 0.2), Loaded: rate(5, 0.2)},
		{ID: "loaded", NominalHz: 1e9, Asleep: rate(5, 0.2), Loaded: rate(5, 0.2)},
		{ID: "unstated", Asleep: unstated(24e6, 0.2), Loaded: unstated(0, 0.2)},
		{ID: "once", Asleep: rate(5, 0.2)}, {ID: "unread"},
	}}
	new := &Drift{Reference: "r", Clocks: []DriftedClock{
		{ID: "same", NominalHz: 1e9, Asleep: rate(5.3, 0.2), Loaded: rate(4.7, 0.2)},
		{ID: "loaded", NominalHz: 1e9 + 1, Asleep: rate(5, 0.2), Loaded: rate(5.5, 0.2)},
		{ID: "unstated", Asleep: unstated(24.000024e6, 0.2), Loaded: unstated(1, 0.2)},
		{ID: "once", Loaded: rate(5, 0.2)}, {ID: "unread"},
	}}
	d := changed(old, new)
	require.Empty(t, d.OnlyOld)
	require.Len(t, d.Rates, 5)
	var named []string
	for _, r := range d.Rates {
		if r.Changed {
			named = append(named, r.Clock+" "+r.Phase)
		}
		require.Equal(t, r.Clock != "loaded", r.SameNominal)
		require.Equal(t, r.Clock != "unstated", r.Stated)
	}
	require.Equal(t, []string{"loaded loaded", "unstated asleep"}, named)
	require.InDelta(t, 1, d.Rates[4].NewPPM, 1e-6)

	new.Reference = "another"
	d = changed(old, new)
	require.Empty(t, d.Rates)
	require.Empty(t, d.OnlyOld)
	require.Equal(t, []string{"r", "another"}, []string{d.OldReference, d.NewReference})
}
