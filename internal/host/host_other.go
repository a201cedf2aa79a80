//go:build !linux

package host

import "github.com/timebench/timebench/internal/result"

// addSystemFacts adds the hypervisor, as the CPU tells it.
func addSystemFacts(facts *result.Host) {
	if system := cpuHypervisor(); system != "" {
		facts.Virtualization = &result.Virtualization{System: system, Role: "guest"}
	}
}
