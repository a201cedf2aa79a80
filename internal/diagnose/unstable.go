package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/result"
)

// A surrender is why the kernel gave the TSC up, as its log has it: what stands after
// "Marking TSC unstable due to", or a line that only one reason prints.
type surrender struct {
	says  []string // any of them, in a line of the log
	cause string
	// measured says that the kernel has seen the TSC fail. Otherwise it goes by what the
	// CPU promises, and the CPU knows best.
	measured bool
	// trust says that the kernel may have been wrong: its watchdog has been.
	trust bool
}

// surrenders are the reasons of kernel/time/clocksource.c, arch/x86/kernel/tsc.c,
// tsc_sync.c and cpu/mshyperv.c, arch/x86/kvm/x86.c, drivers/acpi/processor_idle.c and
// drivers/idle/intel_idle.c, of today and of older kernels; what was measured first. A
// new one is one entry.
var surrenders = []surrender{
	{
		says:     []string{"due to clocksource watchdog", "Marking clocksource 'tsc", "Clocksource tsc unstable"},
		cause:    "The kernel's watchdog found the TSC to disagree with another clock, and gave it up until the next boot.",
		measured: true, trust: true,
	},
	{
		says:     []string{"due to check_tsc_sync_source failed", "turning off TSC clock"},
		cause:    "The kernel found that the TSCs of the CPUs differ from each other, and gave the TSC up until the next boot.",
		measured: true,
	},
	{
		says:     []string{"due to KVM discovered backwards TSC"},
		cause:    "KVM found that the TSC of this host went backwards, and the kernel gave it up until the next boot.",
		measured: true,
	},
	{
		says:  []string{"due to TSCs unsynchronized"},
		cause: "The kernel takes the CPUs' TSCs for unsynchronised, and has not measured it: so it does with several CPUs that are not Intel's and do not promise a constant rate (constant_tsc), and with some machines of many sockets.",
	},
	{
		says:  []string{"TSC halts in idle", "TSC halt in"},
		cause: "The TSC stops while a CPU sleeps (the CPU does not promise nonstop_tsc): time that is made of it would stop too.",
	},
	{
		says:  []string{"due to cpufreq changes"},
		cause: "The TSC changes its rate with the frequency of the CPU (which does not promise constant_tsc).",
	},
	{
		says:  []string{"due to running on Hyper-V"},
		cause: "Hyper-V does not promise this machine an invariant TSC.",
	},
}

// unstable are the kernel's words when it gives the TSC up, whatever the reason.
var unstable = []string{
	"Marking clocksource 'tsc", "Marking TSC unstable", "Clocksource tsc unstable",
	"TSC found unstable", "turning off TSC clock", "TSC halts in idle",
}

// watchdog are the lines that stand beside, with the watchdog's figures.
var watchdog = []string{"wd_nsec", "cs_nsec", "TSC synchronization", "excessive read-back delay", switchedWords}

// surrendered returns why the kernel gave the TSC up; false where its log does not tell
// that it did.
func surrendered(d *result.Document) (surrender, bool) {
	for _, s := range surrenders {
		if len(logged(d, s.says...)) > 0 {
			return s, true
		}
	}
	lines := logged(d, unstable...)
	if len(lines) == 0 {
		return surrender{}, false
	}
	cause := "The kernel gave the TSC up until the next boot; why stands no longer in its log."
	const due = "unstable due to "
	if i := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, due) }); i >= 0 {
		cause = fmt.Sprintf("The kernel gave the TSC up until the next boot, due to %q.", after(lines[i], due))
	}
	return surrender{cause: cause}, true
}

// surrenderLines are the lines of the log that tell of it, as evidence.
func surrenderLines(d *result.Document) []string {
	return inLog(logged(d, append(slices.Clone(unstable), watchdog...)...))
}

// foundUnstable: the kernel has seen the TSC fail.
func foundUnstable(d *result.Document) (why, bool) {
	s, ok := surrendered(d)
	if !ok || !s.measured {
		return why{}, false
	}
	found := why{cause: s.cause, evidence: surrenderLines(d), links: []string{kernelParameters}}
	if s.trust {
		found.cause += disagreement(d)
	}
	found.remedies = func(d *result.Document) []result.Remedy {
		remedies := append(slices.Clone(ofHypervisor(d)), lookAgain)
		if s.trust {
			remedies = append(remedies, trustTSC)
		}
		return remedies
	}
	return found, true
}

var (
	lookAgain = result.Remedy{
		Advice:   "Find out whether the kernel was right: update the firmware and the kernel, boot again, and see whether the log says it anew",
		Commands: []string{"sudo dmesg | grep -iE 'tsc|clocksource'"},
	}
	trustTSC = result.Remedy{
		Advice: "The watchdog has been wrong, under heavy load and with a faulty HPET. Where it is known to be, have the kernel trust the TSC: tsc=nowatchdog (no watchdog) or tsc=reliable (no checks at all) on its command line",
		Commands: []string{
			"sudoedit /etc/default/grub && sudo update-grub # Debian, Ubuntu: in GRUB_CMDLINE_LINUX",
			"sudo grubby --update-kernel=ALL --args=tsc=nowatchdog # Fedora, RHEL",
		},
		Risk: "If the TSC does drift or differ between CPUs, time runs wrong or jumps back, and nothing notices. Do not do this to make a message go away.",
	}
)

// disagreement words the watchdog's figures: what it saw go by, and what the TSC did.
func disagreement(d *result.Document) string {
	var by, tsc float64
	for _, line := range logged(d, "wd_nsec:", "cs_nsec:") {
		_, _ = fmt.Sscanf(after(line, "wd_nsec:"), "%g", &by)
		_, _ = fmt.Sscanf(after(line, "cs_nsec:"), "%g", &tsc)
	}
	if by <= 0 || tsc <= 0 {
		return ""
	}
	return fmt.Sprintf(" While the watchdog saw %s go by, the TSC counted %s: %+.3g %%.", nanoseconds(by), nanoseconds(tsc), (tsc/by-1)*100)
}

func after(line, text string) string {
	_, rest, _ := strings.Cut(line, text)
	return rest
}

// mostLogged is how many lines of the kernel's log stand in a finding.
const mostLogged = 8

// inLog marks evidence as lines of the kernel's log: the first of them, where it all
// began.
func inLog(lines []string) []string {
	var marked []string
	for i, line := range lines {
		if i == mostLogged {
			return append(marked, fmt.Sprintf("kernel log: … and %s more", counted(int64(len(lines)-i), "line")))
		}
		marked = append(marked, "kernel log: "+line)
	}
	return marked
}

// above are the clock sources that the kernel rates above a TSC that is not invariant:
// arch/x86/kernel/kvmclock.c, arch/x86/xen/time.c and drivers/clocksource/hyperv_timer.c.
var above = []string{"kvm-clock", "xen", "hyperv_clocksource_tsc_page"}

// demoted finds a TSC that the kernel saw fail while what it uses now is read without
// entering the kernel. Where it does, kernelEntry says it all.
func demoted(d *result.Document) *result.Finding {
	found, ok := foundUnstable(d)
	preferred := slices.Contains(above, source(d)) && !invariant(d)
	if !ok || source(d) == "tsc" || preferred || kernelEntry(d) != nil {
		return nil
	}
	return &result.Finding{
		Title:    "the kernel gave the TSC up as unstable, and uses " + source(d),
		Evidence: found.evidence, Cause: found.cause, Remedies: found.remedies(d), Links: found.links,
	}
}
