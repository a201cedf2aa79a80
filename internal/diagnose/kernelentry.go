package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/clock/vdso"
	"github.com/timebench/timebench/internal/diagnose/remedy"
	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/words"
)

func kernelEntry(s *situation.Situation) *result.Finding {
	if !s.EntersKernel() {
		return nil
	}
	finding := &result.Finding{Title: "reads of the fine clocks enter the kernel"}
	switch name := s.ClockSource; name {
	case "":
	case "tsc":
		finding.Title += ", although the clock source is tsc"
	default:
		finding.Title += ", because the clock source is " + name
	}
	entering := s.Select(situation.Enters)
	coarse := s.Select(func(c compare.Clock) bool {
		return situation.IsCoarse(c) && c.KernelEntry == result.Never && c.Latency != nil
	})
	finding.Evidence = rows(s, append(slices.Clone(entering), coarse...), proof)
	if call := s.Timed("CLOCK_MONOTONIC@syscall"); call != nil {
		finding.Evidence = append(finding.Evidence, row(*call)+" · the system call itself")
	}
	why := whyNotTSC(s)
	finding.Evidence = slices.Concat(finding.Evidence, whatToWin(s, entering), maxThroughput(entering), shares(programsAbove(s, NamedShare)), why.evidence)
	finding.Cause = because(s) + " " + why.cause
	finding.Remedies = slices.Concat(remedy.For(s, why.remedies...), remedy.Coarse(s))
	var ofHypervisor []string
	if h := remedy.HypervisorOf(s); h != nil {
		ofHypervisor = h.Links
	}
	finding.Links = distinct([]string{vdsoManual}, why.links, ofHypervisor)
	return finding
}

func distinct(links ...[]string) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(links...))))
}

func proof(c compare.Clock) string {
	text := map[string]string{
		result.Always:    "every read enters the kernel",
		result.Sometimes: "some reads enter the kernel",
		result.Never:     "no read enters the kernel",
	}[c.KernelEntry]
	if c.KernelEntryBy != "" {
		text += " (" + c.KernelEntryBy + ")"
	}
	return text
}

func because(s *situation.Situation) string {
	switch s.ClockSource {
	case "tsc":
		return "User mode can read the clock source tsc, but the reads enter the kernel anyway."
	case "":
		return "The vDSO cannot read the clock source of the kernel from user mode. The name of the clock source is unknown (/sys/devices/system/clocksource)."
	}
	return fmt.Sprintf("The vDSO cannot read the clock source %s from user mode%s, so every read is a system call.", s.ClockSource, described(s))
}

func described(s *situation.Situation) string {
	if len(s.PageOff()) > 0 {
		return "" // the description would blame the host
	}
	return descriptions[s.ClockSource]
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
		if best.Threads > 0 && situation.IsEveryday(c) {
			return []string{fmt.Sprintf("%s · at most %s, with %s · programs that read more often wait",
				c.ID, words.Rate(best.ReadsPerSecond), words.Plural(best.Threads, "thread"))}
		}
	}
	return nil
}

var cpuCounters = []string{"tsc", "tsc-early", "arch_sys_counter", "riscv_clocksource"} // the clock sources that are the counter of the CPU itself

// whatToWin returns the parts of the time of a read that enters the kernel, and its latency in user mode, for the first
// everyday clock whose layers are known.
func whatToWin(s *situation.Situation, entering []compare.Clock) []string {
	for _, id := range situation.Everyday {
		i := slices.IndexFunc(entering, func(c compare.Clock) bool {
			return c.ID == id && c.Latency != nil && len(compare.Parts(c.Layers)) > 0
		})
		if i < 0 {
			continue
		}
		c := entering[i]
		var each []string
		for _, l := range compare.Parts(c.Layers) {
			name := words.Either(s.ClockSource != "", strings.ReplaceAll(l.Name, "read the clock source", "read "+s.ClockSource), l.Name)
			each = append(each, fmt.Sprintf("%s (%s)", l, name))
		}
		text := fmt.Sprintf("%s, %s ns = %s", c.ID, words.NS(c.Latency.MedianNS), strings.Join(each, " + "))
		// Another clock source saves nothing if the kernel already reads the counter of the CPU.
		if userMode := c.GainNS(); userMode > 0 && !slices.Contains(cpuCounters, s.ClockSource) {
			text += fmt.Sprintf(" · about %s ns if the vDSO read the counter of the CPU", words.NS(userMode))
		}
		return []string{text}
	}
	return nil
}

// unproven finds that there is no proof whether the everyday clocks enter the kernel. Without this finding, doctor
// would report that all is well.
func unproven(s *situation.Situation) *result.Finding {
	if hasQPC(s) {
		return unprovenQPC(s)
	}
	clocks, is := s.EntryUnproven()
	if !is {
		return nil
	}
	evidence := rows(s, clocks, whyUnproven)
	if len(clocks) == 0 {
		evidence = []string{"none of " + strings.Join(situation.Everyday[:3], ", ") + " was measured"}
	}
	for _, id := range []string{"time.Now@go", "CLOCK_MONOTONIC@syscall"} {
		if c := s.Timed(id); c != nil {
			evidence = append(evidence, row(*c))
		}
	}
	why := whyNotTSC(s)
	return &result.Finding{
		Title:    "the clock source is " + s.ClockSource + ", and whether reads enter the kernel is unknown",
		Evidence: append(evidence, why.evidence...),
		Cause:    fmt.Sprintf("No vDSO reads %s%s in user mode, so every read should be a system call; nothing here tested it. %s", s.ClockSource, described(s), why.cause),
		Remedies: slices.Concat(remedy.For(s, why.remedies...), remedy.For(s, "amd64-build", "measure-there")),
		Links:    distinct([]string{vdsoManual}, why.links),
	}
}

func whyUnproven(c compare.Clock) string {
	switch {
	case !c.Available:
		return "cannot be read: " + c.Reason
	case c.KernelEntry == "": // verify, skew and drift do not test it
		return "kernel entry was not tested"
	default:
		return "kernel entry is unknown: " + c.KernelEntryBy
	}
}

func noVDSO(s *situation.Situation) *result.Finding {
	if !s.NoVDSO() {
		return nil
	}
	finding := &result.Finding{
		Title:    "there is no vDSO: every read of a clock is a system call",
		Evidence: []string{"no vDSO clock can be read: " + vdso.ErrNone.Error()},
		Cause:    vdsoCause(s),
		Remedies: remedy.For(s, "remove-vdso-0", "newer-runsc"),
		Links:    []string{vdsoManual, kernelParameters},
	}
	if call := s.Timed("CLOCK_MONOTONIC@syscall"); call != nil {
		finding.Evidence = append(finding.Evidence, row(*call))
	}
	for _, p := range s.Parameters("vdso") {
		finding.Evidence = append(finding.Evidence, onCommandLine+p.Text)
	}
	finding.Evidence = append(finding.Evidence, shares(programsAbove(s, NamedShare))...)
	return finding
}

func vdsoCause(s *situation.Situation) string {
	if off := s.Parameters("vdso=0", "vdso32=0"); len(off) > 0 {
		return "The kernel was booted without a vDSO (" + onCommandLine + off[0].Text + ")."
	}
	if s.InGVisor() {
		return "This is a sandbox of gVisor, which has a vDSO of its own, but mapped none into this process."
	}
	cause := "The kernel command line does not switch the vDSO off. Therefore the kernel was built without one, or a sandbox (gVisor), an emulator of user mode (QEMU) or a tracer hides it."
	if s.Host.Arch == "386" {
		cause += " A 64-bit kernel may have none for 32-bit programs."
	}
	return cause
}

// slowClocksOfOldKernels finds clocks that the vDSO of an older kernel does not support, although it supports the
// everyday clocks.
func slowClocksOfOldKernels(s *situation.Situation) *result.Finding {
	finding := &result.Finding{
		Title:    "some clocks enter the kernel, although the everyday clocks do not",
		Evidence: rows(s, s.Select(situation.Enters), proof),
		Cause:    "The vDSO of this kernel does not support them. On x86 the vDSO supports CLOCK_MONOTONIC_RAW and CLOCK_BOOTTIME since Linux 5.3, CLOCK_TAI since 4.20.",
		Remedies: remedy.For(s, "newer-runsc", "read-monotonic"),
		Links:    []string{vdsoManual},
	}
	if s.InGVisor() {
		finding.Cause = "This is a sandbox of gVisor, which has a vDSO of its own. Before September 2022 it did not support the coarse clocks and CLOCK_MONOTONIC_RAW: each read of them is a call into the sandbox."
		finding.Links = []string{"https://github.com/google/gvisor/pull/7975"}
	}
	return finding
}

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
