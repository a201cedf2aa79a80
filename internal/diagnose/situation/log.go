package situation

import (
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/machine/kernellog"
)

// Events returns the events about clocks in the kernel log. The caller must not change them.
func (s *Situation) Events() []kernellog.Event {
	events, _ := s.log()
	return events
}

// Causes returns the causes that the kernel log shows, the decisive causes first. The caller must not change them.
func (s *Situation) Causes() []kernellog.Cause {
	_, causes := s.log()
	return causes
}

// Faults returns the causes that call for a remedy and concern a clock source.
func (s *Situation) Faults() []kernellog.Cause {
	return s.faults(func(c kernellog.Cause) bool { return c.Concerns != kernellog.OfWallClock })
}

// WallFaults returns the causes that call for a remedy and concern the wall clock.
func (s *Situation) WallFaults() []kernellog.Cause {
	return s.faults(func(c kernellog.Cause) bool { return c.Concerns == kernellog.OfWallClock })
}

func (s *Situation) faults(of func(kernellog.Cause) bool) []kernellog.Cause {
	return slices.DeleteFunc(slices.Clone(s.Causes()), func(c kernellog.Cause) bool { return c.Harmless || !of(c) })
}

// NothingFailed reports whether the kernel log shows no fault, or only faults that the kernel inferred.
func (s *Situation) NothingFailed() bool {
	return !slices.ContainsFunc(s.Faults(), func(c kernellog.Cause) bool { return !c.Inferred })
}

// Logs reports whether the kernel log has a message of a kind.
func (s *Situation) Logs(kind string) bool {
	return slices.ContainsFunc(s.Events(), func(e kernellog.Event) bool { return e.Kind == kind })
}

// Shows reports whether the kernel log shows a cause.
func (s *Situation) Shows(kind string) bool {
	return slices.ContainsFunc(s.Causes(), func(c kernellog.Cause) bool { return c.Kind == kind })
}

// CheckedBy reports whether a clock source was the watchdog in the kernel log.
func (s *Situation) CheckedBy(name string) bool {
	return slices.ContainsFunc(s.Events(), func(e kernellog.Event) bool {
		return e.Watchdog == name || e.Kind == "watchdog-interval" && e.Clock == name
	})
}

// HighestCPU returns the highest number of a CPU in the events of the kernel log; -1 without one.
func (s *Situation) HighestCPU() int {
	highest := -1
	for _, e := range s.Events() {
		for _, n := range e.CPUs {
			highest = max(highest, n)
		}
	}
	return highest
}

// Lines returns the lines of events as in the document, with their stamps, each once.
func (s *Situation) Lines(events []kernellog.Event) []string {
	var lines []string
	for _, e := range events {
		if line := s.Host.KernelLog.Lines[e.Index]; !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// OfPrograms reports whether programs, such as time services, wrote all of the log, and the kernel nothing.
func (s *Situation) OfPrograms() bool {
	kernels := func(e kernellog.Event) bool { return !e.Program || e.Timed } // dmesg has lines of programs too
	return len(s.Events()) > 0 && !slices.ContainsFunc(s.Events(), kernels) && s.Host.Kernel == "" &&
		len(kernellog.Unjudged(s.Host.KernelLog.Lines)) == 0
}

// Switches returns the events of the log that name the clock source to which the kernel switched.
func (s *Situation) Switches() []kernellog.Event {
	return slices.DeleteFunc(slices.Clone(s.Events()),
		func(e kernellog.Event) bool { return e.Kind != "clocksource-switched" })
}

// registered returns the clock sources other than the TSC that the kernel log registers or switches to.
func (s *Situation) registered() []string {
	var names []string
	for _, e := range s.Events() {
		if (e.Kind == "clocksource-registered" || e.Kind == "clocksource-switched") && !strings.HasPrefix(e.Clock, "tsc") {
			names = append(names, e.Clock)
		}
	}
	return names
}

// HasUsedTSC reports whether the kernel log shows that the kernel used the TSC.
func (s *Situation) HasUsedTSC() bool {
	return slices.ContainsFunc(s.Switches(), func(e kernellog.Event) bool { return e.Clock == "tsc" })
}

// SeenStart reports whether the kernel log shows which counters the kernel has, or switched to: it does so at boot.
func (s *Situation) SeenStart() bool {
	return s.SeenWhole() || s.Logs("clocksource-registered") || s.Logs("clocksource-switched") ||
		s.Logs("arm-counter-rate")
}

// SeenWhole reports whether the document has the whole kernel log since the boot.
func (s *Situation) SeenWhole() bool {
	log := s.Host.KernelLog
	return log != nil && log.Reason == "" && !log.Truncated
}

// MarkedUnstable reports whether the kernel log shows that the kernel marked the TSC unstable, for whatever reason.
func (s *Situation) MarkedUnstable() bool {
	marksTSC := func(e kernellog.Event) bool { return strings.HasPrefix(e.Clock, "tsc") && e.Marks() }
	return slices.ContainsFunc(s.Events(), marksTSC)
}
