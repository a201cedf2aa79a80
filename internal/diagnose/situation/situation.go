// Package situation derives the facts for findings, remedies and answers from a document, each fact once: the clocks
// with the readings of all sections, the causes in the kernel log, the platform, the boot parameters, the time
// services.
//
// A condition of a remedy, or a fact that two checks use, is a method here. Advice and findings are elsewhere.
package situation

import (
	"slices"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/kernellog"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// A Situation is a document with the facts that are derived from it. It is for one goroutine, and for as long as the
// document does not change.
type Situation struct {
	*result.Document
	// Clocks are the clocks of the document, with the readings of the sections runtimes and profile.
	Clocks []compare.Clock
	// FloorNS is the cost of an empty call, in ns.
	FloorNS float64
	// ClockSource is the clock source in use; "" if unknown.
	ClockSource string
	// ClockSources are the available clock sources, the best first (clocksource_enqueue in kernel/time/clocksource.c).
	ClockSources []string

	log func() ([]kernellog.Event, []kernellog.Cause)
}

// Offers reports whether a clock source is available.
func (s *Situation) Offers(name string) bool { return slices.Contains(s.ClockSources, name) }

// CouldUse reports whether a clock source is available and not in use.
func (s *Situation) CouldUse(name string) bool { return s.Offers(name) && s.ClockSource != name }

// Sets reports whether a BSD has this setting of its timecounter.
func (s *Situation) Sets(setting string) bool {
	return s.Host.ClockSource != nil && slices.Contains(s.Host.ClockSource.Settings, setting)
}

// Best returns the clock source that the kernel rates highest; "" if unknown.
func (s *Situation) Best() string {
	if len(s.ClockSources) == 0 {
		return ""
	}
	return s.ClockSources[0]
}

// HypervisorClocks are the clock sources that hypervisors offer to their guests.
var HypervisorClocks = []string{"kvm-clock", "hyperv_clocksource_tsc_page", "xen"}

// HypervisorClock returns the available clock source of the hypervisor; or "".
func (s *Situation) HypervisorClock() string {
	for _, name := range HypervisorClocks {
		if s.Offers(name) {
			return name
		}
	}
	return ""
}

// TickSources are the clock sources that count the ticks of the kernel (kernel/time/jiffies.c).
var TickSources = []string{"jiffies", "refined-jiffies"}

// HasOnlyTicks reports whether the kernel counts ticks because it has no timer that can be read.
func (s *Situation) HasOnlyTicks() bool {
	return len(s.ClockSources) > 0 && slices.Contains(TickSources, s.ClockSource) &&
		!slices.ContainsFunc(s.ClockSources, func(name string) bool { return !slices.Contains(TickSources, name) })
}
