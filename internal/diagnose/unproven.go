package diagnose

import (
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/result"
)

// unreadable are the clock sources that no current vDSO can read from user mode, so that
// every read of a fine clock enters the kernel; xen is read there only on machines where the
// kernel has a page for it (arch/x86/xen/time.c).
var unreadable = []string{"hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit", "xen"}

// unproven finds that nothing told whether reads of the everyday clocks enter the kernel,
// under a clock source with which they are known to: silence would read as "all is well".
func unproven(d *result.Document) *result.Finding {
	if !slices.Contains(unreadable, source(d)) || kernelEntry(d) != nil || noVDSO(d) != nil {
		return nil
	}
	finding := &result.Finding{
		Title: "the clock source is " + source(d) + ", and nothing proves that reads stay out of the kernel",
		Links: []string{vdsoManual},
	}
	proven := false
	for _, c := range d.Clocks {
		switch {
		case !slices.Contains(everyday, c.ID):
		case !c.Available:
			finding.Evidence = append(finding.Evidence, c.ID+" cannot be read: "+c.Reason)
		case c.KernelEntry == result.Unknown:
			finding.Evidence = append(finding.Evidence, costs(c)+", and whether that enters the kernel is unknown: "+c.KernelEntryBy)
		default:
			proven = true
		}
	}
	if proven && len(finding.Evidence) == 0 {
		return nil
	}
	if !proven && len(finding.Evidence) == 0 {
		finding.Evidence = []string{"none of " + strings.Join(everyday[:3], ", ") + " was measured"}
	}
	for _, id := range []string{"time.Now@go", "CLOCK_MONOTONIC@syscall"} {
		if c := named(d, id); c != nil {
			finding.Evidence = append(finding.Evidence, costs(*c))
		}
	}
	why := whyNotTSC(d)
	finding.Evidence = append(finding.Evidence, why.evidence...)
	finding.Cause = because(d) + " " + why.cause
	finding.Remedies = why.remedies(d)
	if d.Host.Arch == "386" {
		finding.Remedies = append(finding.Remedies, result.Remedy{Advice: "Run timebench's build for amd64, which can prove it, where the kernel is one of 64 bits"})
	}
	finding.Links = append(finding.Links, why.links...)
	slices.Sort(finding.Links)
	finding.Links = slices.Compact(finding.Links)
	return finding
}
