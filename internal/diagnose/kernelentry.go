package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/result"
)

// Documents that several findings point to.
const (
	vdsoManual       = "https://man7.org/linux/man-pages/man7/vdso.7.html"
	kernelParameters = "https://docs.kernel.org/admin-guide/kernel-parameters.html"
	clockSourceABI   = "https://docs.kernel.org/admin-guide/abi-testing.html#abi-sys-devices-system-clocksource-clocksourcex-current-clocksource"
)

// enters reports whether reads of a clock of the vDSO enter the kernel although they
// need not: the CPU times are never answered by the vDSO (lib/vdso/gettimeofday.c).
func enters(c result.Clock) bool {
	return c.Path == "vdso" && c.Kind != "cpu time" &&
		(c.KernelEntry == result.Always || c.KernelEntry == result.Sometimes)
}

// kernelEntry finds that the clocks which programs ask most enter the kernel.
func kernelEntry(d *result.Document) *result.Finding {
	var entering, not []result.Clock
	for _, c := range d.Clocks {
		switch {
		case enters(c):
			entering = append(entering, c)
		case c.Path == "vdso" && c.KernelEntry == result.Never && c.Latency != nil:
			not = append(not, c)
		}
	}
	if !slices.ContainsFunc(entering, func(c result.Clock) bool { return slices.Contains(everyday, c.ID) }) {
		return nil
	}
	finding := &result.Finding{
		Title: "reads of the fine clocks enter the kernel",
		Links: []string{vdsoManual},
	}
	switch name := source(d); name {
	case "":
	case "tsc":
		finding.Title += ", although the clock source is tsc"
	default:
		finding.Title += ", because the clock source is " + name
	}
	for _, c := range entering {
		finding.Evidence = append(finding.Evidence, fmt.Sprintf("%s and enters the kernel: %s (%s)", costs(c), c.KernelEntry, c.KernelEntryBy))
	}
	for _, c := range not {
		if slices.Contains(coarseClocks, c.ID) {
			finding.Evidence = append(finding.Evidence, costs(c)+" and never enters it")
		}
	}
	if door := named(d, "CLOCK_MONOTONIC@syscall"); door != nil {
		finding.Evidence = append(finding.Evidence, costs(*door)+": the system call itself")
	}
	finding.Evidence = append(finding.Evidence, capacity(entering)...)
	why := whyNotTSC(d)
	finding.Evidence = append(finding.Evidence, why.evidence...)
	finding.Cause = because(d) + " " + why.cause
	finding.Remedies = append(why.remedies(d), coarseRemedy(d)...)
	finding.Links = append(finding.Links, why.links...)
	if h := hypervisorOf(d); h != nil {
		finding.Links = append(finding.Links, h.links...)
	}
	slices.Sort(finding.Links)
	finding.Links = slices.Compact(finding.Links)
	return finding
}

// because words what the clock source has to do with it.
func because(d *result.Document) string {
	name := source(d)
	if name == "tsc" {
		return "The clock source tsc can be read from user mode, and yet the reads enter the kernel."
	}
	if name == "" {
		return "The vDSO cannot read the kernel's clock source from user mode; which one that is could not be found out (/sys/devices/system/clocksource)."
	}
	return fmt.Sprintf("The vDSO cannot read the clock source %s from user mode%s, so it makes the system call each time.", name, natures[name])
}

// natures say what a clock source is.
var natures = map[string]string{
	"hpet":                        " (a timer on the mainboard, shared by all CPUs)",
	"acpi_pm":                     " (the ACPI power management timer, behind an I/O port)",
	"jiffies":                     " (the count of the kernel's ticks)",
	"refined-jiffies":             " (the count of the kernel's ticks)",
	"pit":                         " (the timer chip of the first PCs)",
	"xen":                         " (Xen's own clock, here without a page that is good in user mode)",
	"kvm-clock":                   " (KVM's own clock: its host does not call the TSC stable)",
	"hyperv_clocksource_msr":      " (a register that Hyper-V emulates)",
	"hyperv_clocksource_tsc_page": " (Hyper-V's page is not valid at present)",
}

// capacity says how many reads a second the machine can do at all.
func capacity(clocks []result.Clock) []string {
	for _, c := range clocks {
		best := result.Throughput{}
		for _, t := range c.Throughput {
			if t.ReadsPerSecond > best.ReadsPerSecond {
				best = t
			}
		}
		if best.Threads > 0 && slices.Contains(everyday, c.ID) {
			return []string{fmt.Sprintf("%s: no more than %s, with %s; a program that asks more often waits",
				c.ID, perSecond(best.ReadsPerSecond), counted(int64(best.Threads), "thread"))}
		}
	}
	return nil
}

// coarseClocks are those that the kernel keeps in memory for everyone at each tick.
var coarseClocks = []string{"CLOCK_REALTIME_COARSE@vdso", "CLOCK_MONOTONIC_COARSE@vdso"}

// coarseRemedy offers the coarse clocks, with what they cost and how coarse they are
// here.
func coarseRemedy(d *result.Document) []result.Remedy {
	var offers []string
	for _, id := range coarseClocks {
		c := named(d, id)
		if c == nil || c.KernelEntry != result.Never {
			continue
		}
		tick := "of which the tick was not seen"
		if c.Resolution != nil && c.Resolution.TickNS > 0 {
			tick = "which ticks every " + nanoseconds(c.Resolution.TickNS)
		}
		offers = append(offers, fmt.Sprintf("%s at %s a read, %s", strings.TrimSuffix(id, "@vdso"), nanoseconds(c.Latency.MedianNS), tick))
	}
	if len(offers) == 0 {
		return nil
	}
	return []result.Remedy{{
		Advice: "In the program, where that is fine enough, ask a coarse clock: " + strings.Join(offers, "; "),
		Risk:   "Two events within one tick have the same time; spans shorter than some ticks cannot be measured.",
	}}
}

// noVDSO finds that there is no vDSO, so that every read is a system call. The everyday
// clocks tell, which every vDSO has; others may be missing in one.
func noVDSO(d *result.Document) *result.Finding {
	reason, some := "", false
	for _, c := range d.Clocks {
		if c.Path != "vdso" {
			continue
		}
		some = some || c.Available
		if slices.Contains(everyday, c.ID) {
			reason = c.Reason
		}
	}
	if some || reason == "" {
		return nil
	}
	finding := &result.Finding{
		Title:    "there is no vDSO: every read of a clock is a system call",
		Evidence: []string{"no clock of the vDSO can be read: " + reason},
		Cause:    "The kernel was built or booted without a vDSO (vdso=0), or an emulator or tracer hides it.",
		Remedies: []result.Remedy{{
			Advice: "Take vdso=0 from the kernel's command line and boot again",
			Risk:   "None that is known: the vDSO is on by default.",
		}},
		Links: []string{vdsoManual, kernelParameters},
	}
	if door := named(d, "CLOCK_MONOTONIC@syscall"); door != nil {
		finding.Evidence = append(finding.Evidence, costs(*door))
	}
	finding.Evidence = append(finding.Evidence, booted(d, "vdso")...)
	return finding
}

// slowClocksOfOldKernels finds clocks that the vDSO of an older kernel does not know
// while it serves the everyday ones: it learnt CLOCK_MONOTONIC_RAW, CLOCK_BOOTTIME and
// CLOCK_TAI on x86 with Linux 5.3.
func slowClocksOfOldKernels(d *result.Document) *result.Finding {
	finding := &result.Finding{
		Title: "some clocks enter the kernel although the usual ones do not",
		Cause: "The vDSO of this kernel does not serve them; on x86 it learnt CLOCK_MONOTONIC_RAW, CLOCK_BOOTTIME and CLOCK_TAI with Linux 5.3.",
		Remedies: []result.Remedy{{
			Advice: "Ask CLOCK_MONOTONIC or CLOCK_REALTIME on a hot path, or use a newer kernel",
		}},
		Links: []string{vdsoManual},
	}
	for _, c := range d.Clocks {
		if enters(c) {
			if slices.Contains(everyday, c.ID) {
				return nil
			}
			finding.Evidence = append(finding.Evidence, costs(c)+" and enters the kernel")
		}
	}
	if len(finding.Evidence) == 0 {
		return nil
	}
	return finding
}
