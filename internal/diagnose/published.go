package diagnose

import (
	"fmt"

	"github.com/timebench/timebench/internal/diagnose/published"
	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
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
	source, path, hypervisor := s.ClockSource, "", ""
	switch {
	case c.ID == situation.QPC:
		source, path = countedBy(s), "winapi"
	case s.Conditions != nil && len(s.Conditions.ClockSources) > 1: // of which one it is, is unknown
	case c.Path == "syscall" || c.Path == "vdso" && c.KernelEntry == result.Always:
		path = "syscall"
	case c.Path == "vdso" && c.KernelEntry == result.Never:
		path = "vdso"
	}
	if s.IsGuest() || s.HostOf("xen") {
		hypervisor = s.Host.Virtualization.Visible()
	}
	figures, found := published.Of(source, path, hypervisor)
	if !found {
		return ""
	}
	cost := situation.CostNS(c.Latency)
	if figures.Count > 1 && cost >= figures.LowNS && cost <= figures.HighNS {
		return fmt.Sprintf("%s is usual; published for %s.", words.Duration(cost), figures)
	}
	return fmt.Sprintf("Published for %s.", figures)
}

// countedBy returns the counter behind QueryPerformanceCounter, named like a clock source of Linux; "" if unknown.
func countedBy(s *situation.Situation) string {
	switch w := s.Host.Windows; {
	case w == nil || w.QPC == nil || w.Wine != nil || w.QPC.HypervisorPage:
		return ""
	case s.ReadsQPCInUserMode() && s.OnX86():
		return "tsc"
	default:
		_, timer := Frequency(w.QPC.Hz, s.Host.Arch)
		return timer
	}
}
