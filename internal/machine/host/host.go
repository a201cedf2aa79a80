// Package host collects the facts that matter when the clocks of a machine are slow: operating
// system, kernel, CPU, hypervisor, clock source, kernel log, and the limits of the process.
//
// It needs no root and starts no program. A fact that is unknown stays empty; none is guessed. On Linux the facts come
// from /proc, /sys, /etc and /var/log; At also reads the recorded files of another machine below a folder, and Of reads
// files in memory. On Windows they come from Windows functions and the registry, on other systems from gopsutil, and on
// the BSDs from the sysctls kern.timecounter.
package host

import "github.com/timebench/timebench/internal/document/result"

// UsableCPUs returns how many threads can run at the same time: the CPUs that the process may
// use, or its quota if that is less, rounded up.
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
