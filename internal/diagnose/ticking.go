package diagnose

import (
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/diagnose/remedy"
	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/words"
)

func ticking(s *situation.Situation) *result.Finding {
	clocks := s.Ticking()
	if len(clocks) == 0 {
		return nil
	}
	finding := &result.Finding{
		Title: "time steps by " + words.Duration(clocks[0].Resolution.TickNS) + ": the fine clocks have the resolution of a tick",
		Links: []string{"https://man7.org/linux/man-pages/man7/time.7.html"},
	}
	finding.Evidence = rows(s, clocks, func(c compare.Clock) string {
		text := "steps by " + words.Duration(c.Resolution.TickNS)
		if c.Resolution.ReportedNS > 0 {
			text += "; clock_getres reports " + words.Duration(c.Resolution.ReportedNS)
		}
		return text
	})
	const effect = " Two events within one tick get the same time, and shorter intervals are zero."
	if !slices.Contains(situation.TickSources, s.ClockSource) {
		finding.Cause = "Something keeps the time and updates it once a tick: an emulator, a sandbox or an enclave (Wine, gVisor, SGX), or a library that stands in for the clock." + effect
		finding.Remedies = remedy.For(s, "read-real-clock")
		return finding
	}
	finding.Cause = "The clock source is " + s.ClockSource + ", which counts the ticks of the kernel." + effect
	if _, is := s.EntryUnproven(); is || s.EntersKernel() {
		finding.Cause += " Another finding shows why the kernel uses it, and what to do."
		return finding
	}
	why := whyNotTSC(s)
	finding.Cause = strings.TrimSpace(finding.Cause + " " + why.cause)
	finding.Evidence = append(finding.Evidence, why.evidence...)
	finding.Remedies = remedy.For(s, why.remedies...)
	finding.Links = append(finding.Links, why.links...)
	return finding
}
