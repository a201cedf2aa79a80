//go:build !linux && !windows

package host

import "github.com/timebench/timebench/internal/document/result"

// addSystemFacts adds the names of the system, its clock source, the facts of macOS, and the hypervisor that the CPU reports.
func addSystemFacts(facts *result.Host) {
	addNames(facts)
	facts.ClockSource = clockSource()
	facts.MacOS = macOS()
	if system := cpuHypervisor(); system != "" {
		facts.Virtualization = &result.Virtualization{System: system, Role: "guest"}
	}
}
