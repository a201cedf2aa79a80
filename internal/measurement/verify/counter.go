package verify

import (
	"slices"

	"github.com/timebench/timebench/internal/document/result"
)

// counterSources are the clock sources that read the CPU's counter, by the names of the kernel's drivers. Under another
// clock source the kernel may have rejected the counter.
var counterSources = []string{"tsc", "arch_sys_counter"}

// CounterIsTrusted reports whether the system derives its time from the CPU's counter, or could:
// with a paravirtual clock source while tsc is available. If the system does not report its
// clock source, an invariant counter counts.
func CounterIsTrusted(host result.Host) bool {
	if host.ClockSource == nil {
		return host.CPU.InvariantTSC == nil || *host.CPU.InvariantTSC
	}
	paravirtual := []string{"kvm-clock", "hyperv_clocksource_tsc_page"}
	return slices.Contains(counterSources, host.ClockSource.Current) ||
		slices.Contains(paravirtual, host.ClockSource.Current) && slices.Contains(host.ClockSource.Available, "tsc")
}
