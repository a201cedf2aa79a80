package diagnose

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/host"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// plantedLogs are lines with causes that a recorded machine may not have: nothing, CPUs that differ, a wrong rate, a
// watchdog without figures, a firmware that writes to the TSC.
var plantedLogs = [][]string{
	nil,
	{"[ 9.1] Measured 1200 cycles TSC warp between CPUs, turning off TSC clock.", "[ 9.1] tsc: Marking TSC unstable due to check_tsc_sync_source failed"},
	{"[ 1.1] tsc: Warning: TSC freq calibrated by CPUID/MSR differs from what is calibrated by HW timer, please check with vendor!!", "[ 1.1] tsc: Previous calibrated TSC freq:         2500.000 MHz", "[ 1.1] tsc: TSC freq recalibrated by [HPET]:         2399.967 MHz"},
	{"[ 9.1] tsc: Marking TSC unstable due to clocksource watchdog"},
	{"[ 0.1] [Firmware Bug]: TSC ADJUST differs within socket(s), fixing all errors"},
	{"[ 9.1] tsc: Marking TSC unstable due to KVM discovered backwards TSC"},
	{"[ 0.1] Marking TSC unstable due to TSC halts in idle"},
	{"[ 3.1] Marking TSC unstable due to cpufreq changes"},
}

// The rules hold on every recorded machine, whatever its clocks cost and its log contains, in a container too, and with
// parameters that it may have.
func TestRulesOnEveryRecordedMachine(t *testing.T) {
	trees, err := filepath.Glob(filepath.Join("..", "machine", "host", "testdata", "*", "proc"))
	require.NoError(t, err)
	for _, folder := range []string{filepath.Join("cases", "*", "tree"), filepath.Join("machines", "*")} {
		more, err := filepath.Glob(filepath.Join("testdata", folder, "proc"))
		require.NoError(t, err)
		require.NotEmpty(t, more)
		trees = append(trees, more...)
	}
	tried := 0
	for _, tree := range trees {
		recorded := host.At(filepath.Dir(tree))
		for _, entry := range []string{result.Never, result.Always, result.Unknown} {
			for _, container := range []string{"", "docker"} {
				for i, parameters := range [][]string{nil, {"tsc=reliable"}, {"tsc=nowatchdog", "clocksource=hpet"}, {"notsc"}, {"vdso=0"}} {
					d := &result.Document{Host: recorded, Sections: []result.Section{&compare.Costs{FloorNS: 1.4, Clocks: clocks(entry, 640)}}}
					d.Host.Container = container
					d.Host.BootParameters = append(slices.Clone(d.Host.BootParameters), parameters...)
					if planted := plantedLogs[(i+tried)%len(plantedLogs)]; planted != nil {
						d.Host.KernelLog = &result.KernelLog{Lines: planted}
					}
					tried++
					d.Host.DistributionID = []string{"", "ubuntu", "rocky", "alpine", "arch"}[i]
					d.Host.TimeSync = &result.TimeSync{}
					d.Host.WallOffsets = []result.WallOffset{offset("rtc0", "rtc_cmos", hour, rtcBound)}
					rules(t, d)
				}
			}
		}
	}
}
