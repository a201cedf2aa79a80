// Package host finds out what a maintainer asks about a machine when its clocks
// are slow: operating system, kernel, CPU, hypervisor, clock source, the kernel's
// log, and the limits that the process runs under.
//
// Everything here works without root and without starting a program. What
// cannot be found out is left empty; a fact is never guessed. Where Linux is
// concerned the facts come from /proc, /sys, /etc and /var/log, most of them through
// the libraries prometheus/procfs and shirou/gopsutil, and At reads them of a
// machine whose files were recorded; Windows is asked by its own functions and
// its registry; other systems answer through gopsutil alone.
package host

import "github.com/timebench/timebench/internal/result"

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
