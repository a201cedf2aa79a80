package drift

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
)

// ratedAt returns a rate in ppm of a nominal rate, with half the width of its interval.
func ratedAt(ppm, nominal, interval float64) *DriftRate {
	return &DriftRate{PPM: &ppm, Hz: nominal * (1 + ppm/1e6), IntervalPPM: interval, Confidence: 0.95, Readings: 4900,
		SpanNS: 4_900_000_000}
}

// A rate under load is a fault if it differs by more than three times the wider interval.
func TestChangeUnderLoad(t *testing.T) {
	for change, faults := range map[float64]int{0: 0, 2.9: 0, 3.1: 1, -3.1: 1} {
		d := &Drift{Reference: "a", Clocks: []DriftedClock{
			{ID: "b", NominalHz: 1e9, Idle: ratedAt(0, 1e9, 1), Loaded: ratedAt(change, 1e9, 1)}}}
		require.Len(t, d.Block(&result.Document{}).Faults, faults, change)
	}
}

// Without load the answer is the largest difference.
func TestDriftWithoutLoad(t *testing.T) {
	d := &Drift{Reference: "r", Clocks: []DriftedClock{
		{ID: "a", NominalHz: 1e9, Idle: ratedAt(0.5, 1e9, 0.1)}, {ID: "b", NominalHz: 1e9, Idle: ratedAt(-2, 1e9, 0.5)},
		{ID: "unstated", Idle: &DriftRate{Hz: 2596147840.4, IntervalPPM: 0.0014}},
	}}
	require.Equal(t, "Of 2 clocks b differs most from r: -2.00 ± 0.50 ppm, -173 ms a day, within the 500 ppm that NTP can correct. "+
		"unstated makes 2,596,147,840.4 ± 3.6 ticks/s; its nominal rate is unknown.", d.Block(&result.Document{}).Verdict)
	d.Clocks = append(d.Clocks, DriftedClock{ID: "noisy", NominalHz: 1e9, Idle: ratedAt(0, 1e9, 5)})
	require.Contains(t, d.Block(&result.Document{}).Verdict, "Of 3 clocks b differs most", "an error bound is no difference")
	d.Clocks[1].Idle, d.Clocks[0].Idle = ratedAt(0.1, 1e9, 0.2), ratedAt(-0.1, 1e9, 0.1)
	require.Contains(t, d.Block(&result.Document{}).Verdict, "None of 3 clocks differs from r by more than the error bound of 15 ppm. unstated makes ")
	require.Equal(t, "noisy does not differ from r by more than the error bound of 15 ppm.",
		(&Drift{Reference: "r", Clocks: d.Clocks[3:]}).Block(&result.Document{}).Verdict)
	require.Equal(t, "No rate could be measured; a: interrupted.",
		(&Drift{Reference: "r", Clocks: []DriftedClock{{ID: "a", Reason: "interrupted"}}}).Block(&result.Document{}).Verdict)
	require.Equal(t, "unstated makes 2,596,147,840.4 ± 3.6 ticks/s; its nominal rate is unknown.",
		(&Drift{Reference: "r", Clocks: d.Clocks[2:3]}).Block(&result.Document{}).Verdict)
}

// The verdict has the figure of the table, and does not say that all is well.
func TestDriftThatMatters(t *testing.T) {
	for ppm, want := range map[float64]string{
		-100.062: "a differs from r: -100.0620 ± 0.0020 ppm, -8.65 s a day, within the 500 ppm that NTP can correct.",
		500.001:  "a differs from r: +500.0010 ± 0.0020 ppm, 43.2 s a day, perhaps more than the 500 ppm that NTP can correct.",
		-499.999: "a differs from r: -499.9990 ± 0.0020 ppm, -43.2 s a day, perhaps more than the 500 ppm that NTP can correct.",
		800:      "a differs from r: +800.0000 ± 0.0020 ppm, 69.1 s a day, more than the 500 ppm that NTP can correct.",
	} {
		d := &Drift{Reference: "r", Clocks: []DriftedClock{{ID: "a", NominalHz: 1e9, Idle: ratedAt(ppm, 1e9, 0.002)}}}
		block := d.Block(&result.Document{})
		require.Equal(t, want, block.Verdict)
		require.True(t, slices.ContainsFunc(block.Grids[0].Rows[0], func(cell string) bool {
			return strings.Contains(cell, " ± ") && strings.Contains(want, cell)
		}), "%q", block.Grids[0].Rows[0])
	}
}
