package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/clock/vdso"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/words"
)

// Documents that several findings link to.
const (
	vdsoManual       = "https://man7.org/linux/man-pages/man7/vdso.7.html"
	kernelParameters = "https://docs.kernel.org/admin-guide/kernel-parameters.html"
	clockSourceABI   = "https://docs.kernel.org/admin-guide/abi-testing.html#abi-sys-devices-system-clocksource-clocksourcex-current-clocksource"
)

// enters reports whether reads of a clock enter the kernel without need.
func enters(c compare.Clock) bool {
	return (isFine(c) || isCoarse(c)) && (c.KernelEntry == result.Always || c.KernelEntry == result.Sometimes)
}

func kernelEntry(d *result.Document) *result.Finding {
	var entering, coarse []compare.Clock
	for _, c := range compare.Of(d).Clocks {
		switch {
		case enters(c):
			entering = append(entering, c)
		case isCoarse(c) && c.KernelEntry == result.Never && c.Latency != nil:
			coarse = append(coarse, c)
		}
	}
	if !slices.ContainsFunc(entering, func(c compare.Clock) bool { return slices.Contains(everyday, c.ID) }) {
		return nil
	}
	finding := &result.Finding{
		Title: "reads of the fine clocks enter the kernel",
		Links: []string{vdsoManual},
	}
	switch name := clockSource(d); name {
	case "":
	case "tsc":
		finding.Title += ", although the clock source is tsc"
	default:
		finding.Title += ", because the clock source is " + name
	}
	finding.Evidence = rows(d, append(entering, coarse...), proof)
	if call := timedClock(d, "CLOCK_MONOTONIC@syscall"); call != nil {
		finding.Evidence = append(finding.Evidence, row(*call)+" · the system call itself")
	}
	finding.Evidence = append(finding.Evidence, whatToWin(d, entering)...)
	finding.Evidence = append(finding.Evidence, maxThroughput(entering)...)
	finding.Evidence = append(finding.Evidence, shares(programsAbove(d, NamedShare))...)
	why := whyNotTSC(d)
	finding.Evidence = append(finding.Evidence, why.evidence...)
	finding.Cause = because(d) + " " + why.cause
	finding.Remedies = slices.Concat(advise(d, why.remedies...), coarseRemedies(d))
	finding.Links = append(finding.Links, why.links...)
	if h := hypervisorOf(d); h != nil {
		finding.Links = append(finding.Links, h.links...)
	}
	slices.Sort(finding.Links)
	finding.Links = slices.Compact(finding.Links)
	return finding
}

func proof(c compare.Clock) string {
	text := map[string]string{
		result.Always: "every read enters the kernel", result.Sometimes: "some reads enter the kernel", result.Never: "no read enters the kernel",
	}[c.KernelEntry]
	if c.KernelEntryBy != "" {
		text += " (" + c.KernelEntryBy + ")"
	}
	return text
}

func because(d *result.Document) string {
	name := clockSource(d)
	if name == "tsc" {
		return "User mode can read the clock source tsc, but the reads enter the kernel anyway."
	}
	if name == "" {
		return "The vDSO cannot read the clock source of the kernel from user mode. The name of the clock source is unknown (/sys/devices/system/clocksource)."
	}
	return fmt.Sprintf("The vDSO cannot read the clock source %s from user mode%s, so every read is a system call.", name, described(d))
}

func described(d *result.Document) string {
	if _, off := noVsyscall(d); off {
		return "" // which would blame the host
	}
	return descriptions[clockSource(d)]
}

// descriptions describe clock sources, to be added after the name.
var descriptions = map[string]string{
	"hpet":                        " (a timer on the mainboard, shared by all CPUs)",
	"acpi_pm":                     " (the ACPI power management timer, read through an I/O port)",
	"jiffies":                     " (the tick counter of the kernel)",
	"refined-jiffies":             " (the tick counter of the kernel)",
	"pit":                         " (the timer chip of the original PC)",
	"xen":                         " (the clock of Xen, without a page that user mode can read)",
	"kvm-clock":                   " (the clock of KVM; its host does not report the TSC as stable)",
	"hyperv_clocksource_msr":      " (a register that Hyper-V emulates)",
	"hyperv_clocksource_tsc_page": " (the page of Hyper-V is not valid now)",
}

func maxThroughput(clocks []compare.Clock) []string {
	for _, c := range clocks {
		best := compare.Throughput{}
		for _, t := range c.Throughput {
			if t.ReadsPerSecond > best.ReadsPerSecond {
				best = t
			}
		}
		if best.Threads > 0 && slices.Contains(everyday, c.ID) {
			return []string{fmt.Sprintf("%s · at most %s, with %s · programs that read more often wait",
				c.ID, words.Rate(best.ReadsPerSecond), words.Plural(best.Threads, "thread"))}
		}
	}
	return nil
}

// coarseClocks are those whose value the kernel stores at each tick.
var coarseClocks = []string{"CLOCK_REALTIME_COARSE@vdso", "CLOCK_MONOTONIC_COARSE@vdso"}

// coarseRemedies suggest the coarse clocks, with their cost and tick on this machine, and the calls of
// the languages that read them.
func coarseRemedies(d *result.Document) []result.Remedy {
	if len(tickingClocks(d)) > 0 {
		return nil // the fine clocks are no finer
	}
	var offers []string
	for _, id := range coarseClocks {
		c := timedClock(d, id)
		if c == nil || c.KernelEntry != result.Never {
			continue
		}
		tick := "tick unknown"
		if c.Resolution != nil && c.Resolution.TickNS > 0 {
			tick = "tick " + words.Duration(c.Resolution.TickNS)
		}
		offers = append(offers, fmt.Sprintf("%s (%s/read, %s)", strings.TrimSuffix(id, "@vdso"), words.Duration(c.Latency.MedianNS), tick))
	}
	if len(offers) == 0 {
		return nil
	}
	return append([]result.Remedy{{
		Advice: "If a coarse resolution is enough for your program, read a coarse clock: " + strings.Join(offers, ", "),
		Risk:   "Two events within one tick get the same time. Intervals shorter than several ticks cannot be measured.",
	}}, languageRemedies(d)...)
}

// noVDSO finds that the process has no vDSO. A vDSO clock that cannot be read for another reason
// does not show that.
func noVDSO(d *result.Document) *result.Finding {
	if !slices.ContainsFunc(compare.Of(d).Clocks, func(c compare.Clock) bool { return c.Reason == vdso.ErrNone.Error() }) {
		return nil
	}
	finding := &result.Finding{
		Title:    "there is no vDSO: every read of a clock is a system call",
		Evidence: []string{"no vDSO clock can be read: " + vdso.ErrNone.Error()},
		Cause:    vdsoCause(d),
		Remedies: advise(d, "remove-vdso-0", "newer-runsc"),
		Links:    []string{vdsoManual, kernelParameters},
	}
	if call := timedClock(d, "CLOCK_MONOTONIC@syscall"); call != nil {
		finding.Evidence = append(finding.Evidence, row(*call))
	}
	for _, p := range parameters(d, "vdso") {
		finding.Evidence = append(finding.Evidence, onCommandLine+p.text)
	}
	finding.Evidence = append(finding.Evidence, shares(programsAbove(d, NamedShare))...)
	return finding
}

func vdsoCause(d *result.Document) string {
	if off := parameters(d, "vdso=0", "vdso32=0"); len(off) > 0 {
		return "The kernel was booted without a vDSO (" + onCommandLine + off[0].text + ")."
	}
	if inGVisor(d) {
		return "This is a sandbox of gVisor, which has a vDSO of its own, but mapped none into this process."
	}
	cause := "The kernel command line does not switch the vDSO off. Therefore the kernel was built without one, or a sandbox (gVisor), an emulator of user mode (QEMU) or a tracer hides it."
	if d.Host.Arch == "386" {
		cause += " A 64-bit kernel may have none for 32-bit programs."
	}
	return cause
}

// slowClocksOfOldKernels finds clocks that the vDSO of an older kernel does not support,
// although it supports the everyday ones.
func slowClocksOfOldKernels(d *result.Document) *result.Finding {
	finding := &result.Finding{
		Title:    "some clocks enter the kernel, although the everyday clocks do not",
		Cause:    "The vDSO of this kernel does not support them. On x86 the vDSO supports CLOCK_MONOTONIC_RAW and CLOCK_BOOTTIME since Linux 5.3, CLOCK_TAI since 4.20.",
		Remedies: advise(d, "newer-runsc", "read-monotonic"),
		Links:    []string{vdsoManual},
	}
	if inGVisor(d) {
		finding.Cause = "This is a sandbox of gVisor, which has a vDSO of its own. Before September 2022 it did not support the coarse clocks and CLOCK_MONOTONIC_RAW: each read of them is a call into the sandbox."
		finding.Links = []string{"https://github.com/google/gvisor/pull/7975"}
	}
	var entering []compare.Clock
	for _, c := range compare.Of(d).Clocks {
		if enters(c) {
			if slices.Contains(everyday, c.ID) {
				return nil
			}
			entering = append(entering, c)
		}
	}
	finding.Evidence = rows(d, entering, proof)
	return finding
}

// cpuCounters are the clock sources that are the counter of the CPU itself.
var cpuCounters = []string{"tsc", "tsc-early", "arch_sys_counter", "riscv_clocksource"}

// whatToWin returns where the time of a read goes that enters the kernel, and what it would take in user mode: of the
// first everyday clock whose layers are known.
func whatToWin(d *result.Document, entering []compare.Clock) []string {
	for _, id := range everyday {
		i := slices.IndexFunc(entering, func(c compare.Clock) bool { return c.ID == id && c.Latency != nil && len(compare.Parts(c.Layers)) > 0 })
		if i < 0 {
			continue
		}
		c := entering[i]
		var each []string
		for _, l := range compare.Parts(c.Layers) {
			each = append(each, part(d, l))
		}
		text := fmt.Sprintf("%s, %s ns = %s", c.ID, words.NS(c.Latency.MedianNS), strings.Join(each, " + "))
		// Where the kernel reads the counter of the CPU already, another clock source saves nothing.
		if userMode := c.GainNS(); userMode > 0 && !slices.Contains(cpuCounters, clockSource(d)) {
			text += fmt.Sprintf(" · about %s ns if the vDSO read the counter of the CPU", words.NS(userMode))
		}
		return []string{text}
	}
	return nil
}

// part returns a layer as a summand: "824.0 (read acpi_pm)".
func part(d *result.Document, l compare.Layer) string {
	name := l.Name
	if source := clockSource(d); source != "" {
		name = strings.ReplaceAll(name, "read the clock source", "read "+source)
	}
	return fmt.Sprintf("%s (%s)", l, name)
}
