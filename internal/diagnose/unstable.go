package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/words"
)

// An instability is a reason why the kernel marks the TSC unstable, found in its log: the
// text after "Marking TSC unstable due to", or a line that only one reason prints.
type instability struct {
	messages []string // any of them, in a line of the log
	cause    string
	// measured: the kernel has seen the TSC fail. Otherwise it relies on the CPU flags.
	measured bool
	// doubtful: the kernel may be wrong, as its watchdog has been.
	doubtful bool
}

// instabilities are the reasons in kernel/time/clocksource.c, arch/x86/kernel/tsc.c,
// tsc_sync.c and cpu/mshyperv.c, arch/x86/kvm/x86.c, drivers/acpi/processor_idle.c and
// drivers/idle/intel_idle.c, of current and older kernels; the measured ones first. A new
// one is one entry.
var instabilities = []instability{
	{
		messages: []string{"due to clocksource watchdog", "Marking clocksource 'tsc", "Clocksource tsc unstable"},
		cause:    "The watchdog of the kernel found that the TSC disagrees with another clock, and marked the TSC unstable until the next boot.",
		measured: true, doubtful: true,
	},
	{
		messages: []string{"due to check_tsc_sync_source failed", "turning off TSC clock"},
		cause:    "The kernel found that the TSCs of the CPUs differ from each other, and marked the TSC unstable until the next boot.",
		measured: true,
	},
	{
		messages: []string{"due to KVM discovered backwards TSC"},
		cause:    "KVM found that the TSC of this host went backwards, and the kernel marked it unstable until the next boot.",
		measured: true,
	},
	{
		messages: []string{"due to TSCs unsynchronized"},
		cause:    "The kernel assumes that the TSCs of the CPUs are unsynchronised, but has not measured it. It assumes so with several CPUs that are not from Intel and do not report constant_tsc, and on some machines with many sockets.",
	},
	{
		messages: []string{"TSC halts in idle", "TSC halt in"},
		cause:    "The TSC stops while a CPU sleeps (the CPU does not report nonstop_tsc). A clock based on it would stop too.",
	},
	{
		messages: []string{"due to cpufreq changes"},
		cause:    "The TSC rate changes with the CPU frequency (the CPU does not report constant_tsc).",
	},
	{
		messages: []string{"due to running on Hyper-V"},
		cause:    "Hyper-V does not give this machine an invariant TSC.",
	},
}

// unstableMessages are the messages of the kernel when it marks the TSC unstable.
var unstableMessages = []string{
	"Marking clocksource 'tsc", "Marking TSC unstable", "Clocksource tsc unstable",
	"TSC found unstable", "turning off TSC clock", "TSC halts in idle",
}

// watchdogMessages are the lines around them, with the figures of the watchdog.
var watchdogMessages = []string{"wd_nsec", "cs_nsec", "TSC synchronization", "excessive read-back delay", switchMessage}

// markedUnstable returns why the kernel marked the TSC unstable; false if its log does not
// show that it did.
func markedUnstable(d *result.Document) (instability, bool) {
	for _, reason := range instabilities {
		if len(logLines(d, reason.messages...)) > 0 {
			return reason, true
		}
	}
	lines := logLines(d, unstableMessages...)
	if len(lines) == 0 {
		return instability{}, false
	}
	cause := "The kernel marked the TSC unstable until the next boot. The reason is no longer in its log."
	const due = "unstable due to "
	if i := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, due) }); i >= 0 {
		cause = fmt.Sprintf("The kernel marked the TSC unstable until the next boot, due to %q.", after(lines[i], due))
	}
	return instability{cause: cause}, true
}

// unstableEvidence returns the lines of the log about it.
func unstableEvidence(d *result.Document) []string {
	return logEvidence(logLines(d, append(slices.Clone(unstableMessages), watchdogMessages...)...))
}

// foundUnstable: the kernel has seen the TSC fail.
func foundUnstable(d *result.Document) (why, bool) {
	reason, ok := markedUnstable(d)
	if !ok || !reason.measured {
		return why{}, false
	}
	found := why{cause: reason.cause, evidence: unstableEvidence(d), links: []string{kernelParameters}}
	if reason.doubtful {
		found.cause += watchdogFigures(d)
	}
	found.remedies = func(d *result.Document) []result.Remedy {
		remedies := append(slices.Clone(ofHypervisor(d)), recheck)
		if reason.doubtful {
			remedies = append(remedies, trustTSC)
		}
		return remedies
	}
	return found, true
}

var (
	recheck = result.Remedy{
		Advice:   "Check whether the kernel was right: update the firmware and the kernel, reboot, and check whether the message appears again",
		Commands: []string{"sudo dmesg | grep -iE 'tsc|clocksource'"},
	}
	trustTSC = result.Remedy{
		Advice: "The watchdog has been wrong before: under heavy load, and with a faulty HPET. If you know that it is wrong here, add tsc=nowatchdog (no watchdog) or tsc=reliable (no checks at all) to the kernel command line",
		Commands: []string{
			"sudoedit /etc/default/grub && sudo update-grub # Debian, Ubuntu: in GRUB_CMDLINE_LINUX",
			"sudo grubby --update-kernel=ALL --args=tsc=nowatchdog # Fedora, RHEL",
		},
		Risk: "If the TSC does drift or differ between CPUs, time runs wrong or jumps back, and nothing notices. Do not do this just to silence a message.",
	}
)

// watchdogFigures returns a sentence with the intervals that the watchdog and the TSC
// measured; "" if the log does not have them.
func watchdogFigures(d *result.Document) string {
	var by, tsc float64
	for _, line := range logLines(d, "wd_nsec:", "cs_nsec:") {
		_, _ = fmt.Sscanf(after(line, "wd_nsec:"), "%g", &by)
		_, _ = fmt.Sscanf(after(line, "cs_nsec:"), "%g", &tsc)
	}
	if by <= 0 || tsc <= 0 {
		return ""
	}
	return fmt.Sprintf(" While the watchdog measured %s, the TSC measured %s: %+.3g %%.", words.Duration(by), words.Duration(tsc), (tsc/by-1)*100)
}

func after(line, text string) string {
	_, rest, _ := strings.Cut(line, text)
	return rest
}

// maxLogLines is the number of log lines in a finding.
const maxLogLines = 8

// logEvidence returns lines of the kernel log as evidence; of many the first ones, with the
// start of the problem.
func logEvidence(lines []string) []string {
	var marked []string
	for i, line := range lines {
		if i == maxLogLines {
			return append(marked, "kernel log: … and "+words.Plural(len(lines)-i, "more line"))
		}
		marked = append(marked, "kernel log: "+line)
	}
	return marked
}

// ratedAbove are the clock sources that the kernel rates above a TSC that is not invariant:
// arch/x86/kernel/kvmclock.c, arch/x86/xen/time.c and drivers/clocksource/hyperv_timer.c.
var ratedAbove = []string{"kvm-clock", "xen", "hyperv_clocksource_tsc_page"}

// unstableTSC finds a TSC that the kernel saw fail, if reads of the clock source in use now
// do not enter the kernel. If they do, kernelEntry reports it.
func unstableTSC(d *result.Document) *result.Finding {
	found, ok := foundUnstable(d)
	preferred := slices.Contains(ratedAbove, clockSource(d)) && !invariant(d)
	if !ok || clockSource(d) == "tsc" || preferred || kernelEntry(d) != nil {
		return nil
	}
	return &result.Finding{
		Title:    "the kernel marked the TSC unstable, and uses " + clockSource(d),
		Evidence: found.evidence, Cause: found.cause, Remedies: found.remedies(d), Links: found.links,
	}
}
