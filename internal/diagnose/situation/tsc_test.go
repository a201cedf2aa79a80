package situation

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
)

// The kernel refines its first measurement by up to 1 %: only a larger difference from it is evidence. For any other
// figure of the kernel the limit is 0.1 %.
func TestTSCRatesOfTheKernel(t *testing.T) {
	const detected, refined = "[    0.0] tsc: Detected 2600.000 MHz processor",
		"[    1.9] tsc: Refined TSC clocksource calibration: 2600.000 MHz"
	known := []string{"constant_tsc", "tsc_known_freq"}
	for name, test := range map[string]struct {
		lines, flags []string
		asleep       float64
		differ       bool
	}{
		"first measurement, 0.05 %": {lines: []string{detected}, asleep: 2.6013e9},
		"first measurement, 0.3 %":  {lines: []string{detected}, asleep: 2.6078e9},
		"first measurement, -0.9 %": {lines: []string{detected}, asleep: 2.5766e9},
		"first measurement, 1.2 %":  {lines: []string{detected}, asleep: 2.6312e9, differ: true},
		"refined, 0.05 %":           {lines: []string{detected, refined}, asleep: 2.6013e9},
		"refined, 0.3 %":            {lines: []string{detected, refined}, asleep: 2.6078e9, differ: true},
		"given, 0.3 %":              {lines: []string{detected}, flags: known, asleep: 2.6078e9, differ: true},
		"no log, 0.3 %":             {asleep: 2.6078e9, differ: true},
	} {
		cpu := result.CPU{KernelTSCHz: 2.6e9, TSCAsleepHz: test.asleep, TSCFlags: test.flags}
		s := Of(&result.Document{Host: result.Host{CPU: cpu, KernelLog: &result.KernelLog{Lines: test.lines}}})
		require.Equal(t, test.differ, s.TSCRates() != nil, name)
	}
}
