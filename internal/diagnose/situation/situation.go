// Package situation derives the facts for findings, remedies and answers from a document, each fact once: the clocks
// with the readings of all sections, the causes in the kernel log, the platform, the boot parameters, the time
// services.
//
// A condition of a remedy, or a fact that two checks use, is a method here. Advice and findings are elsewhere.
package situation

import (
	"slices"
	"strings"
	"sync"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/kernellog"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/profile"
	"github.com/timebench/timebench/internal/measurement/runtimes"
)

// A Situation is a document with the facts that are derived from it. It is for one goroutine, and for as long as the
// document does not change.
type Situation struct {
	*result.Document
	Clocks      []compare.Clock // the clocks of the document, with the readings of the sections runtimes and profile
	FloorNS     float64         // the cost of an empty call, in ns
	ClockSource string          // the clock source in use; "" if unknown
	// the available clock sources, the best first (clocksource_enqueue in kernel/time/clocksource.c)
	ClockSources []string

	log func() ([]kernellog.Event, []kernellog.Cause)
}

// First returns the first of all for which a condition holds; or nil.
func First[T any](all []T, holds func(T) bool) *T {
	if i := slices.IndexFunc(all, holds); i >= 0 {
		return &all[i]
	}
	return nil
}

// Offers reports whether a clock source is available.
func (s *Situation) Offers(name string) bool { return slices.Contains(s.ClockSources, name) }

// CouldUse reports whether a clock source is available and not in use.
func (s *Situation) CouldUse(name string) bool { return s.Offers(name) && s.ClockSource != name }

// Sets reports whether a BSD has this setting of its timecounter.
func (s *Situation) Sets(setting string) bool {
	return s.Host.ClockSource != nil && slices.Contains(s.Host.ClockSource.Settings, setting)
}

// Best returns the clock source that the kernel rates highest; "" if unknown. Before Linux 2.6.21 the list is unsorted:
// it has timers behind ticks (clocksource_enqueue of kernel/time/clocksource.c came then).
func (s *Situation) Best() string {
	isTimer := func(name string) bool { return name != "tsc" }
	if len(s.ClockSources) == 0 || slices.ContainsFunc(s.BehindTicks(), isTimer) {
		return ""
	}
	return s.ClockSources[0]
}

// HypervisorClocks are the clock sources that hypervisors offer to their guests. The kernel rates them above a TSC that
// is not invariant: arch/x86/kernel/kvmclock.c, arch/x86/xen/time.c, drivers/clocksource/hyperv_timer.c.
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

// BehindTicks returns the clock sources that the kernel lists behind ticks. Their rating is 1 or 2, so only the mark of
// an unstable clock source, which takes its rating to 0, puts it there.
func (s *Situation) BehindTicks() []string {
	isTick := func(name string) bool { return slices.Contains(TickSources, name) }
	first := slices.IndexFunc(s.ClockSources, isTick)
	if first < 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(s.ClockSources[first:]), isTick)
}

// HasOnlyTicks reports whether the kernel counts ticks, or reads the timer that makes them (pit), because it has no
// better timer. A kernel log alone shows that if the kernel took them in place of the TSC: it rates them lower than
// every timer.
func (s *Situation) HasOnlyTicks() bool {
	sources := s.ClockSources
	if len(sources) == 0 && s.LogOnly() && s.MarkedUnstable() {
		sources = s.registered()
	}
	poor := append([]string{"pit"}, TickSources...)
	if slices.Contains(s.BehindTicks(), "tsc") {
		poor = append(poor, "tsc")
	}
	return len(sources) > 0 && slices.Contains(poor, s.ClockSource) &&
		!slices.ContainsFunc(sources, func(name string) bool { return !slices.Contains(poor, name) })
}

// Of returns the situation of a document. The kernel log is read when it is first needed.
func Of(d *result.Document) *Situation {
	s := &Situation{Document: d, FloorNS: compare.Of(d).FloorNS, Clocks: clocksOf(d)}
	if source := d.Host.ClockSource; source != nil {
		s.ClockSource, s.ClockSources = source.Current, source.Available
	}
	s.log = sync.OnceValues(s.readLog)
	return s
}

func clocksOf(d *result.Document) []compare.Clock {
	clocks := slices.Clone(compare.Of(d).Clocks)
	add := func(id, entry string, latency *compare.Latency) {
		i := slices.IndexFunc(clocks, func(c compare.Clock) bool { return c.ID == id })
		if i < 0 {
			path := id[strings.LastIndexByte(id, '@')+1:]
			i, clocks = len(clocks), append(clocks, compare.Clock{ID: id, Path: path, Available: true})
		}
		if c := &clocks[i]; c.Latency == nil && c.KernelEntry == "" {
			c.Latency, c.KernelEntry = latency, entry
		}
	}
	if s := runtimes.Of(d); s != nil {
		for _, c := range s.Clocks {
			add(c.ID, c.KernelEntry, c.Latency)
		}
	}
	if p := profile.Of(d); p != nil && p.ReadNS > 0 {
		add(profile.FineID, p.KernelEntry, &compare.Latency{MedianNS: p.ReadNS})
	}
	return clocks
}

func (s *Situation) readLog() ([]kernellog.Event, []kernellog.Cause) {
	if s.Host.KernelLog == nil || len(s.Host.KernelLog.Lines) == 0 {
		return nil, nil
	}
	events := kernellog.Parse(s.Host.KernelLog.Lines)
	if !s.OnLinux() {
		return events, nil
	}
	m := kernellog.Machine{
		Arch: s.Host.Arch, Kernel: s.Host.Kernel, CPU: s.Host.CPU.Model, TSCHz: s.Host.CPU.KernelTSCHz, Guest: s.IsGuest(),
		Parameters: s.Host.BootParameters, ClockSource: s.ClockSource,
	}
	if s.Host.Machine != nil {
		m.Firmware = s.Host.Machine.Name()
	}
	if v := s.Host.Virtualization; v != nil {
		m.Hypervisor = v.System
	}
	return events, kernellog.Explain(events, m)
}
