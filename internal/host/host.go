// Package host finds out what a maintainer asks about a machine when its clocks
// are slow: operating system, kernel, CPU, hypervisor, clock source, and the
// limits that the process runs under.
//
// Everything here works without root and without starting a program. What
// cannot be found out is left empty; a fact is never guessed. Where Linux is
// concerned the facts come from /proc and /sys through the libraries
// prometheus/procfs and shirou/gopsutil; Windows is asked by its own functions and
// its registry; other systems answer through gopsutil alone.
package host

import (
	"runtime"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/thread"
)

// Facts returns what can be found out about this machine. TSCHz is left empty:
// it takes a measurement.
func Facts() result.Host {
	facts := result.Host{OS: runtime.GOOS, Arch: runtime.GOARCH}
	facts.CPU.Logical = runtime.NumCPU()
	if logical, err := cpu.Counts(true); err == nil && logical > 0 {
		facts.CPU.Logical = logical
	}
	facts.CPU.Usable = len(thread.Usable())
	if physical, err := cpu.Counts(false); err == nil {
		facts.CPU.Physical = physical
	}
	addSystemFacts(&facts)
	return facts
}

// UsableCPUs returns how many threads can run at the same moment: the CPUs that
// the process may use, or its quota where that is less, rounded up.
func UsableCPUs(facts result.Host) int {
	usable := facts.CPU.Usable
	if quota := facts.CPU.Quota; quota > 0 {
		whole := int(quota)
		if float64(whole) < quota {
			whole++
		}
		usable = min(usable, whole)
	}
	return max(usable, 1)
}
