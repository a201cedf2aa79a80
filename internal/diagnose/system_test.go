package diagnose

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/verify"
)

// A document has every finding of a system other than Linux: the advice names no tool and no manual of Linux.
func TestAdviceFitsTheSystem(t *testing.T) {
	linuxWords := []string{
		"taskset", "cpupower", "chrt", "adjtimex", "chrony", "systemd", "sudo", "dmesg", "/proc/", "/sys/", "sched_getaffinity",
		"man7.org", "tsc on x86", "hpet, if", "kernel log", "CLOCK_",
	}
	for _, os := range []string{"windows", "darwin", "freebsd", "linux"} {
		d := well()
		d.Host = result.Host{
			OS: os, Arch: "amd64",
			CPU: result.CPU{Logical: 4, Usable: 1, TSCAsleepHz: 2.6e9, TSCLoadedHz: 2.5e9},
		}
		if os == "windows" {
			yes := true
			d.Host.Windows = &result.Windows{QPC: &result.QPC{Hz: 24_000_000, UserMode: &yes}, Timer: &result.Timer{PeriodNS: 1e6, FinestNS: 5e5, CoarsestNS: 15_625_000}}
		}
		all := clocks("", 640)
		clock := all[0] // an everyday clock that does not scale and goes backwards
		clock.ID, clock.Path = "QueryPerformanceCounter@winapi", "winapi"
		clock.Throughput[1].ReadsPerSecond = clock.Throughput[0].ReadsPerSecond
		clock.Resolution.Backwards = 1
		scaling, trapped := all[1], all[6]
		scaling.ID, scaling.Path = "SystemTime@memory", "memory"
		trapped.Latency.MedianNS = 1100
		*compare.Into(d) = compare.Costs{
			FloorNS: 1.4, Clocks: []compare.Clock{clock, scaling, trapped},
		}
		d.Conditions = &result.Conditions{WallStepNS: 2e9, FloorLowNS: 1, FloorHighNS: 1.01}
		d.Put(&verify.Verification{Clocks: []verify.VerifiedClock{{ID: clock.ID, Verdict: verify.Faulty, Faults: []verify.ClockFault{{Kind: verify.FaultStall, Count: 1, WorstNS: 1e6}}}}})
		findings := Findings(d)
		var kinds []string
		var text strings.Builder
		for _, f := range findings {
			kinds = append(kinds, f.Kind)
			text.WriteString(worded(f))
		}
		require.Subset(t, kinds, []string{"tsc-trapped", "backwards", "faulty-clock", "tsc-rate", "not-scaling", "stepped", "single-cpu"}, os)

		noisy := quiet()
		noisy.Host.OS = os
		c := noisy.Conditions
		c.OtherCPUs, c.InterruptedTurns, c.FloorHighNS, c.WallStepNS = 0.8, 100, 1.6, 1e9
		compare.Into(noisy).Clocks[0].Resolution.Backwards = 1
		warnings := Warnings(noisy)
		require.Len(t, warnings, 5, os)
		for _, w := range warnings {
			text.WriteString(w.Saw + w.Advice + "\n")
		}
		for _, word := range linuxWords {
			if os != "linux" {
				require.NotContains(t, text.String(), word, os)
			}
		}
		require.Equal(t, os == "linux", strings.Contains(text.String(), "taskset"), os)
	}
}
