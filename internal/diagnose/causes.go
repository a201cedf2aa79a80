package diagnose

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/kernellog"
	"github.com/timebench/timebench/internal/show/words"
)

// kernelMessages is the page that explains the messages of the kernel.
const kernelMessages = "https://github.com/timebench/timebench/blob/main/docs/kernel-messages.md"

// faults are the causes that call for a remedy.
func faults(d *result.Document) []kernellog.Cause {
	return slices.DeleteFunc(slices.Clone(logged(d)), func(c kernellog.Cause) bool { return c.Harmless })
}

// isTSCWrong reports whether the kernel log or the measurement shows a TSC that must not be used
// for time. Then nothing that trusts it is suggested.
func isTSCWrong(d *result.Document) bool {
	return judged(d, kernellog.TSCWrong) || goesBack(d) || tscRateDiffers(d)
}

// isTSCRight reports whether the kernel log shows that the TSC kept time, and nothing contradicts
// that.
func isTSCRight(d *result.Document) bool { return judged(d, kernellog.TSCRight) && !isTSCWrong(d) }

func doubtsTSC(d *result.Document) bool {
	return isTSCWrong(d) || slices.ContainsFunc(logged(d), func(c kernellog.Cause) bool { return c.Kind == "tsc-adjust" })
}

func judged(d *result.Document, as kernellog.Judgement) bool {
	return slices.ContainsFunc(faults(d), func(c kernellog.Cause) bool { return c.TSC == as })
}

// byLog: the kernel log shows why the kernel does not use the counter of the CPU, or why user mode
// cannot read it.
func byLog(d *result.Document) (why, bool) {
	found := faults(d)
	if len(found) == 0 {
		return why{}, false
	}
	all := why{links: []string{kernelMessages}}
	var texts []string
	for _, c := range found {
		texts = append(texts, c.Text)
		for _, line := range c.Evidence {
			if i := slices.IndexFunc(d.Host.KernelLog.Lines, func(stamped string) bool { return strings.Contains(stamped, line) }); i >= 0 {
				line = d.Host.KernelLog.Lines[i]
			}
			all.evidence = append(all.evidence, line)
		}
		all.remedies = append(all.remedies, causeRemedies[c.Kind]...)
	}
	all.cause = strings.Join(texts, " ")
	const untilReboot = "until the next boot"
	if markedUnstable(d) && !strings.Contains(all.cause, untilReboot) {
		all.cause += " The kernel marked the TSC unstable " + untilReboot + "."
	}
	all.evidence = logEvidence(all.evidence)
	if d.Host.KernelLog.Truncated {
		all.evidence = append(all.evidence, incompleteLog)
	}
	if d.Host.KernelLog.Mixed && !alone(d) {
		all.evidence = append(all.evidence, fmt.Sprintf("the kernel log has %d boots that cannot be separated", d.Host.KernelLog.Boots))
	}
	all.remedies = append(all.remedies, ofHypervisors)
	if doubt, ok := notInvariant(d); ok && found[0].TSC == kernellog.TSCUnknown {
		all.cause += " " + doubt.cause
		all.evidence = append(all.evidence, doubt.evidence...)
	}
	return all, true
}

// causeRemedies are the names of the remedies for each kind of cause (kernellog.Causes).
var causeRemedies = map[string][]string{
	"gvisor":                    {"newer-runsc"},
	"cpus-differ-after-resume":  {"remove-trust", "reboot", "avoid-suspend", "update-firmware", "compare-cpus"},
	"cpus-differ":               {"remove-trust", "compare-cpus", "update-firmware", "cold-boot", "avoid-suspend", "restart-vm", "look-again"},
	"wrong-cpuid-rate":          {"update-firmware", "boot-hpet", "other-source", "remove-trust"},
	"calibration-failed":        {"remove-acpi-off", "find-hidden-timers"},
	"set-by-parameter":          {"remove-choice"},
	"tsc-went-back":             {"remove-trust", "compare-cpus", "update-firmware", "cold-boot", "avoid-suspend", "restart-vm", "look-again"},
	"halts-in-idle":             {"leave-it"},
	"cpufreq-changes":           {"leave-it"},
	"watchdog-wrapped":          {"newer-kernel-late-check", "less-overcommit", "hypervisor-clock", "kvm-clock-in-guest", "newer-kernel-no-watchdog", "tsc-nowatchdog"},
	"watchdog-may-have-wrapped": {"newer-kernel-late-check", "less-overcommit", "hypervisor-clock", "kvm-clock-in-guest", "compare-with-drift", "look-again"},
	"weak-watchdog":             {"newer-kernel-tsc-early", "hypervisor-clock", "kvm-clock-in-guest", "less-overcommit", "tsc-nowatchdog"},
	"clocks-agree":              {"find-stall", "newer-kernel-late-check", "less-overcommit", "hypervisor-clock", "tsc-nowatchdog"},
	"watchdog-jumped":           {"set-after-pause", "stop-before-sleep", "hypervisor-clock", "restart-vm", "less-overcommit"},
	"read-back-delay":           {"newer-kernel-read-back", "newer-kernel-no-watchdog", "less-overcommit", "tsc-nowatchdog", "tsc-nowatchdog-if-known"},
	"emulated-clocks":           {"stop-before-sleep", "less-overcommit", "hypervisor-clock", "kvm-clock-in-guest", "restart-vm"},
	"tsc-jumped":                {"reboot", "no-tools", "remove-trust", "update-firmware"},
	"bad-calibration":           {"look-again", "compare-with-drift", "update-firmware", "tsc-nowatchdog-if-known"},
	"clocks-disagree":           {"compare-with-drift", "update-firmware", "newer-kernel-no-watchdog", "hypervisor-clock", "kvm-clock-in-guest", "look-again", "tsc-nowatchdog-if-known"},
	"adjusted-beyond-limit":     {"start-again", "compare-with-drift"},
	"presumed-unsynchronized":   {},
	"marked-unstable":           {"look-again"},
	"counter-trapped":           {"leave-it"},
	"tsc-adjust":                {"remove-trust", "compare-cpus", "update-firmware"},
	"override-refused":          {},
	"host-unstable":             {"compare-cpus", "update-firmware"},
}

// markedUnstable reports whether the kernel log shows that the kernel marked the TSC unstable, for
// whatever reason.
func markedUnstable(d *result.Document) bool {
	return slices.ContainsFunc(events(d), func(e kernellog.Event) bool {
		return strings.HasPrefix(e.Clock, "tsc") && e.Marks()
	})
}

// switched is the kind of the line that names the clock source that the kernel switched to.
const switched kernellog.Kind = "clocksource-switched"

func logs(d *result.Document, kind kernellog.Kind) bool {
	return slices.ContainsFunc(events(d), func(e kernellog.Event) bool { return e.Kind == kind })
}

func switches(d *result.Document) []string {
	var lines []string
	for _, e := range events(d) {
		if e.Kind == switched {
			lines = append(lines, d.Host.KernelLog.Lines[e.Index])
		}
	}
	return lines
}

// maxLogLines is the number of log lines in a finding.
const maxLogLines = 8

// alignment matches several spaces, but not those of a time stamp: the kernel aligns the figures of some messages.
var alignment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`([^ \[]) {2,}`) })

// logEvidence returns lines of the kernel log as evidence, each once; of many the first ones, with
// the start of the problem.
func logEvidence(lines []string) []string {
	var marked, seen []string
	for _, line := range lines {
		if !slices.Contains(seen, line) {
			seen = append(seen, line)
		}
	}
	for i, line := range seen {
		if i == maxLogLines {
			return append(marked, "kernel log: … and "+words.Plural(len(seen)-i, "more line"))
		}
		marked = append(marked, "kernel log: "+alignment().ReplaceAllString(line, "$1 "))
	}
	return marked
}

// ratedAbove are the clock sources that the kernel rates above a TSC that is not invariant:
// arch/x86/kernel/kvmclock.c, arch/x86/xen/time.c and drivers/clocksource/hyperv_timer.c.
var ratedAbove = []string{"kvm-clock", "xen", "hyperv_clocksource_tsc_page"}

// inferred are the kinds of causes of which nothing failed: the kernel knows them from the flags of
// the CPU, or its command line.
var inferred = []string{
	"gvisor", "halts-in-idle", "cpufreq-changes", "set-by-parameter", "presumed-unsynchronized", "marked-unstable", "counter-trapped", "tsc-adjust", "override-refused", "host-unstable",
}

func nothingFailed(d *result.Document) bool {
	return !slices.ContainsFunc(faults(d), func(c kernellog.Cause) bool { return !slices.Contains(inferred, c.Kind) })
}

// asIntended: the kernel log shows that the kernel uses the clock of the hypervisor by design.
func asIntended(d *result.Document) (why, bool) {
	for _, c := range logged(d) {
		if c.Harmless && slices.Contains([]string{"hyperv-by-design", "xen-by-design"}, c.Kind) && !offers(d, "tsc") {
			return why{cause: c.Text, evidence: logEvidence(c.Evidence), remedies: []string{ofHypervisors}, links: []string{kernelMessages}}, true
		}
	}
	return why{}, false
}

// unstableTSC finds a fault of the TSC, or of another clock, in the kernel log, if nothing shows that reads of the
// clock source in use enter the kernel. If they do, kernelEntry reports it.
func unstableTSC(d *result.Document) *result.Finding {
	found, ok := byLog(d)
	if !ok || kernelEntry(d) != nil || unprovenVDSO(d) != nil {
		return nil
	}
	name := clockSource(d)
	switch {
	case inGVisor(d):
		return nil // a sandbox has no TSC of its own that could be at fault
	case name == "tsc" && !judged(d, kernellog.TSCWrong) && (!doubtsTSC(d) || unset("tsc=reliable", "tsc=nowatchdog")(d)):
		return nil // the kernel has checked it since
	case slices.Contains(ratedAbove, name) && !invariant(d) && !alone(d):
		return nil
	case !alone(d) && nothingFailed(d) && name != "tsc":
		return nil // reads are fast, and nothing failed
	}
	names := found.remedies
	if slices.Contains(ownClocks, name) { // user mode can read it, or kernelEntry reports that it cannot
		names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == ofHypervisors })
	}
	title := faults(d)[0].Title
	switch {
	case name == "tsc":
		title += ", and the clock source is tsc"
	case markedUnstable(d) && name != "":
		title = "the kernel marked the TSC unstable, and uses " + name
	case markedUnstable(d):
		title = "the kernel marked the TSC unstable"
	case !alone(d):
		title = "the kernel log shows that " + title
	}
	return &result.Finding{Title: title, Evidence: found.evidence, Cause: found.cause, Remedies: advise(d, names...), Links: found.links}
}
