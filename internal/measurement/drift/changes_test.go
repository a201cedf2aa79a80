package drift

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/section"
)

func TestRatesChangedWhereIntervalsDoNotOverlap(t *testing.T) {
	rate := func(ppm, interval float64) *DriftRate {
		return &DriftRate{PPM: &ppm, Hz: 1e9 * (1 + ppm/1e6), IntervalPPM: interval}
	}
	unstated := func(hz, interval float64) *DriftRate { return &DriftRate{Hz: hz, IntervalPPM: interval} }
	old := &Drift{Reference: "r", Clocks: []DriftedClock{
		{ID: "same", NominalHz: 1e9, Idle: rate(5, 0.2), Loaded: rate(5, 0.2)},
		{ID: "loaded", NominalHz: 1e9, Idle: rate(5, 0.2), Loaded: rate(5, 0.2)},
		{ID: "unstated", Idle: unstated(24e6, 0.2), Loaded: unstated(0, 0.2)},
		{ID: "once", Idle: rate(5, 0.2)}, {ID: "unread"},
	}}
	new := &Drift{Reference: "r", Clocks: []DriftedClock{
		{ID: "same", NominalHz: 1e9, Idle: rate(5.3, 0.2), Loaded: rate(4.7, 0.2)},
		// Another nominal rate is no other rate.
		{ID: "loaded", NominalHz: 1e9 + 1e6, Idle: rate(5, 0.2), Loaded: rate(5.5, 0.2)},
		{ID: "unstated", Idle: unstated(24.000024e6, 0.2), Loaded: unstated(1, 0.2)},
		{ID: "once", Loaded: rate(5, 0.2)}, {ID: "unread"},
	}}
	c := changesOf(old, new)
	d := c.Value.(*section.Changes)
	require.Empty(t, d.OnlyOld)
	require.Len(t, d.Changes, 5)
	var named []string
	for _, r := range d.Changes {
		if r.Verdict == section.Changed {
			named = append(named, r.Subject+" "+r.What)
		}
	}
	require.Equal(t, []string{"loaded loaded", "unstated idle"}, named)
	require.InDelta(t, 5.5, d.Changes[3].New.Number(), 1e-6)
	require.InDelta(t, 1, d.Changes[4].New.Number(), 1e-6)
	require.NotEmpty(t, c.Block.Grids[0].Note, "to which rate the ppm refer")

	new.Reference = "another"
	c = changesOf(old, new)
	require.Equal(t, &section.Changes{}, c.Value, "nothing is compared")
	require.Equal(t, []section.Difference{{What: "Reference of drift", Old: "r", New: "another"}}, c.Settings)
}
