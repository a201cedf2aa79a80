package diagnose

import (
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/words"
)

// minTickNS is the step from which a clock that should be fine is called coarse: above the 30 µs of
// a counter of 32 kHz, and below the 1 ms of the shortest tick of a kernel.
const minTickNS = 100_000

// tickSources are the clock sources that count the ticks of the kernel (kernel/time/jiffies.c).
var tickSources = []string{"jiffies", "refined-jiffies"}

func ticking(d *result.Document) *result.Finding {
	clocks := tickingClocks(d)
	if len(clocks) == 0 {
		return nil
	}
	finding := &result.Finding{
		Title: "time steps by " + words.Duration(clocks[0].Resolution.TickNS) + ": the fine clocks have the resolution of a tick",
		Cause: "Something keeps the time and updates it once a tick: an emulator, a sandbox or an enclave (Wine, gVisor, SGX), or a library that stands in for the clock. Two events within one tick get the same time, and shorter intervals are zero.",
		Links: []string{"https://man7.org/linux/man-pages/man7/time.7.html"},
	}
	finding.Evidence = rows(d, clocks, func(c compare.Clock) string {
		text := "steps by " + words.Duration(c.Resolution.TickNS)
		if c.Resolution.ReportedNS > 0 {
			text += "; clock_getres reports " + words.Duration(c.Resolution.ReportedNS)
		}
		return text
	})
	if name := clockSource(d); slices.Contains(tickSources, name) {
		finding.Cause = "The clock source is " + name + ", which counts the ticks of the kernel. Two events within one tick get the same time, and shorter intervals are zero."
		for _, explains := range []func(*result.Document) *result.Finding{kernelEntry, unproven} {
			if explains(d) != nil {
				finding.Cause += " Another finding shows why the kernel uses it, and what to do."
				return finding
			}
		}
		why := whyNotTSC(d)
		finding.Cause = strings.TrimSpace(finding.Cause + " " + why.cause)
		finding.Evidence = append(finding.Evidence, why.evidence...)
		finding.Remedies = advise(d, why.remedies...)
		finding.Links = append(finding.Links, why.links...)
	} else {
		finding.Remedies = advise(d, "read-real-clock")
	}
	return finding
}

// hasOnlyTicks reports whether the kernel counts ticks because it has no timer that can be read.
func hasOnlyTicks(d *result.Document) bool {
	all := clockSources(d)
	return len(all) > 0 && slices.Contains(tickSources, clockSource(d)) &&
		!slices.ContainsFunc(all, func(name string) bool { return !slices.Contains(tickSources, name) })
}

func tickingClocks(d *result.Document) []compare.Clock {
	var clocks []compare.Clock
	for _, c := range compare.Of(d).Clocks {
		if r := c.Resolution; r != nil && Everyday(c.ID) && !r.FinerThanRead && r.TickNS >= minTickNS {
			clocks = append(clocks, c)
		}
	}
	return clocks
}
