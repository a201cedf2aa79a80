//go:build !linux && !windows

package host

import "github.com/timebench/timebench/internal/result"

// addSystemFacts adds the system's names, and the hypervisor as the CPU tells it.
func addSystemFacts(facts *result.Host) {
	addNames(facts)
	if system := cpuHypervisor(); system != "" {
		facts.Virtualization = &result.Virtualization{System: system, Role: "guest"}
	}
}
