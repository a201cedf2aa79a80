package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// unreadable are the clock sources that no current vDSO can read from user mode. xen is
// readable only on machines whose kernel has a page for it (arch/x86/xen/time.c).
var unreadable = []string{"hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit", "xen"}

// unproven finds that nothing shows whether the everyday clocks enter the kernel. Without this
// finding, doctor would report that all is well.
func unproven(d *result.Document) *result.Finding { return cmp.Or(unprovenQPC(d), unprovenVDSO(d)) }

// unprovenVDSO is for clocks of the vDSO under a clock source with which they usually enter the
// kernel.
func unprovenVDSO(d *result.Document) *result.Finding {
	if !slices.Contains(unreadable, clockSource(d)) || kernelEntry(d) != nil || noVDSO(d) != nil {
		return nil
	}
	if alone(d) && len(faults(d)) > 0 {
		return nil // the fault is what the log shows
	}
	finding := &result.Finding{
		Title: "the clock source is " + clockSource(d) + ", and whether reads enter the kernel is unknown",
		Links: []string{vdsoManual},
	}
	found := slices.DeleteFunc(slices.Clone(compare.Of(d).Clocks), func(c compare.Clock) bool { return !Everyday(c.ID) })
	finding.Evidence = rows(d, slices.DeleteFunc(slices.Clone(found), func(c compare.Clock) bool {
		return c.Available && c.KernelEntry != "" && c.KernelEntry != result.Unknown
	}), whyUnproven)
	if len(found) > 0 && len(finding.Evidence) == 0 {
		return nil
	}
	if len(found) == 0 {
		finding.Evidence = []string{"none of " + strings.Join(everyday[:3], ", ") + " was measured"}
	}
	for _, id := range []string{"time.Now@go", "CLOCK_MONOTONIC@syscall"} {
		if c := timedClock(d, id); c != nil {
			finding.Evidence = append(finding.Evidence, row(*c))
		}
	}
	why := whyNotTSC(d)
	finding.Evidence = append(finding.Evidence, why.evidence...)
	finding.Cause = fmt.Sprintf("No vDSO reads %s%s in user mode, so every read should be a system call; nothing here tested it. %s",
		clockSource(d), described(d), why.cause)
	finding.Remedies = slices.Concat(advise(d, why.remedies...), advise(d, "amd64-build", "measure-there"))
	finding.Links = append(finding.Links, why.links...)
	slices.Sort(finding.Links)
	finding.Links = slices.Compact(finding.Links)
	return finding
}

func whyUnproven(c compare.Clock) string {
	switch {
	case !c.Available:
		return "cannot be read: " + c.Reason
	case c.KernelEntry == "": // the command does not test it (verify, skew, drift), or the document is older than the key
		return "kernel entry was not tested"
	default:
		return "kernel entry is unknown: " + c.KernelEntryBy
	}
}
