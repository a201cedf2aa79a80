package diagnose

import (
	"fmt"

	"github.com/timebench/timebench/internal/diagnose/published"
	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/words"
)

// Published returns one sentence that sets the latency of [Answer] beside published figures of the same clock source,
// read in the same way; "" without such figures, or if the clock source or the latency is unknown. A latency outside
// their range may have good reasons, so the sentence only states the range then.
func Published(d *result.Document) string {
	s := situation.Of(d)
	c := answering(s)
	if c == nil {
		return ""
	}
	source, path := readBy(s, c)
	figures, found := published.Of(source, path, hypervisorOf(s))
	if !found {
		return ""
	}
	cost := situation.CostNS(c.Latency)
	if figures.Count > 1 && cost >= figures.LowNS && cost <= figures.HighNS {
		return fmt.Sprintf("%s is usual; published for %s.", words.Duration(cost), figures)
	}
	return fmt.Sprintf("Published for %s.", figures)
}

// readBy returns the clock source behind an everyday clock, and the path of reads as figures have it; "" if unknown.
func readBy(s *situation.Situation, c *compare.Clock) (source, path string) {
	if c.ID == situation.QPC {
		return countedBy(s), "winapi"
	}
	if s.Conditions != nil && len(s.Conditions.ClockSources) > 1 {
		return "", ""
	}
	switch {
	case c.Path == "syscall" || c.Path == "vdso" && c.KernelEntry == result.Always:
		return s.ClockSource, "syscall"
	case c.Path == "vdso" && c.KernelEntry == result.Never:
		return s.ClockSource, "vdso"
	default:
		return "", ""
	}
}

// timers are the timers behind QueryPerformanceCounter by their rates, in Hz.
var timers = map[int64]string{3_579_545: "acpi_pm", 14_318_180: "hpet"}

// countedBy returns the counter behind QueryPerformanceCounter, named like a clock source of Linux; "" if unknown.
func countedBy(s *situation.Situation) string {
	switch w := s.Host.Windows; {
	case w == nil || w.QPC == nil || w.Wine != nil || w.QPC.HypervisorPage:
		return ""
	case s.ReadsQPCInUserMode() && s.OnX86():
		return "tsc"
	default:
		return timers[w.QPC.Hz]
	}
}

// hypervisorOf returns the hypervisor under which the machine reads its clocks; "" if none.
func hypervisorOf(s *situation.Situation) string {
	if s.IsGuest() || s.HostOf("xen") {
		return s.Host.Virtualization.Visible()
	}
	return ""
}
