//go:build !linux && !windows

package host

import (
	"os"
	"time"

	"github.com/shirou/gopsutil/v4/host"
	"github.com/timebench/timebench/internal/document/result"
)

// addSystemFacts adds the names of the system, its clock source, the facts of macOS, and the hypervisor that the CPU
// reports.
func addSystemFacts(facts *result.Host) {
	facts.CPU.Model = cpuModel()
	if kernel, err := host.KernelVersion(); err == nil {
		facts.Kernel = kernel
	}
	if platform, _, version, err := host.PlatformInformation(); err == nil && platform != "" {
		facts.Distribution = platform + " " + version
	}
	facts.ClockSource = clockSource()
	facts.MacOS = macOS()
	if system := cpuHypervisor(); system != "" {
		facts.Virtualization = &result.Virtualization{System: system, Role: "guest"}
	}
}

// WallGranularity is how much two readings of the wall clock and of the monotonic clock may
// differ on a machine without problems.
const WallGranularity = time.Millisecond

// See returns the moment.
func See() Sighting { return Sighting{At: time.Now()} }

// CountChild does nothing: this build does not measure CPU time.
func CountChild(*os.ProcessState) {}
