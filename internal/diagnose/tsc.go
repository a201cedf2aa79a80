package diagnose

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/compare"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/words"
)

// A why explains why the kernel does not use the TSC, with the remedies for that cause.
type why struct {
	cause    string
	evidence []string
	remedies func(*result.Document) []result.Remedy
	links    []string
}

// A reason returns its explanation, and false if it does not apply.
type reason func(*result.Document) (why, bool)

var (
	// unusable are the reasons why the kernel cannot use the TSC.
	unusable = []reason{disabledAtBoot, foundUnstable, presumedUnstable}
	// guesses are the remaining reasons, the most certain first.
	guesses = []reason{notX86, notInvariant, notChosen, unreadableLog, truncatedLog}
)

// whyNotTSC returns why the kernel does not use the TSC: why it cannot, and who selected
// another clock source; if neither is known, the best guess.
func whyNotTSC(d *result.Document) why {
	if found, ok := isTSC(d); ok {
		return found
	}
	found := firstOf(d, unusable)
	found = append(found, firstOf(d, choices)...)
	if len(found) == 0 {
		found = firstOf(d, guesses)
	}
	found = append(found, firstOf(d, []reason{kvmClockOff})...)
	if len(found) == 0 {
		found = []why{{cause: "Neither the kernel log nor the kernel command line explains why the TSC is not used.", remedies: switchOrReport}}
	}
	all := joined(found)
	all.evidence = append(all.evidence, unusedParameter(d)...)
	return all
}

// firstOf returns the first reason that applies, if any.
func firstOf(d *result.Document, reasons []reason) []why {
	for _, of := range reasons {
		if found, ok := of(d); ok {
			return []why{found}
		}
	}
	return nil
}

// joined returns several reasons as one, without duplicates.
func joined(reasons []why) why {
	var all why
	var causes []string
	for _, r := range reasons {
		causes = append(causes, r.cause)
		for _, line := range r.evidence {
			if !slices.Contains(all.evidence, line) {
				all.evidence = append(all.evidence, line)
			}
		}
		all.links = append(all.links, r.links...)
	}
	all.cause = strings.Join(causes, " Also: ")
	all.remedies = func(d *result.Document) []result.Remedy {
		var remedies []result.Remedy
		for _, r := range reasons {
			for _, remedy := range r.remedies(d) {
				if !slices.ContainsFunc(remedies, func(other result.Remedy) bool { return other.Advice == remedy.Advice }) {
					remedies = append(remedies, remedy)
				}
			}
		}
		return remedies
	}
	return all
}

// notX86: other CPUs have no TSC. The counter of arm64 is readable in user mode, unless the
// kernel works around an erratum.
func notX86(d *result.Document) (why, bool) {
	return why{
		cause:    "On this CPU, the kernel log shows why user mode cannot read the CPU counter (on arm64: a workaround for a timer erratum).",
		evidence: logEvidence(logLines(d, "erratum", "arch_timer")),
		remedies: func(*result.Document) []result.Remedy { return nil },
		links:    []string{"https://docs.kernel.org/arch/arm64/silicon-errata.html"},
	}, !slices.Contains([]string{"amd64", "386", ""}, d.Host.Arch)
}

// isTSC: the TSC is in use, so something else sends the reads to the kernel.
func isTSC(d *result.Document) (why, bool) {
	found := why{
		cause:    "The vDSO was built without TSC support, or an emulator, a sandbox or a tracer replaces the vDSO, or another clock source was in use while the clocks were measured.",
		remedies: func(*result.Document) []result.Remedy { return nil },
		links:    []string{vdsoManual},
	}
	if c := compare.Of(d).Conditions; c != nil && len(c.ClockSources) > 1 {
		found.evidence = []string{"clock sources during the run: " + strings.Join(c.ClockSources, ", then ")}
	}
	return found, clockSource(d) == "tsc"
}

// disabledAtBoot: the kernel command line disables the TSC.
func disabledAtBoot(d *result.Document) (why, bool) {
	disabling := slices.DeleteFunc(parameters(d, "notsc", "tsc"), func(p parameter) bool { return p.name == "tsc" && p.value != "unstable" })
	return setBy("The TSC is disabled", disabling...), len(disabling) > 0
}

// presumedUnstable: the kernel marked the TSC unstable because of the CPU flags, without a
// measurement.
func presumedUnstable(d *result.Document) (why, bool) {
	reason, unstable := markedUnstable(d)
	if !unstable {
		return why{}, false
	}
	found := why{cause: reason.cause, evidence: unstableEvidence(d), remedies: switchOrReport}
	if doubt, ok := notInvariant(d); ok {
		found.cause += " " + doubt.cause
		found.evidence = append(found.evidence, doubt.evidence...)
	}
	return found, true
}

// notInvariant: the CPU does not report what the kernel requires. It does not explain
// anything if the log shows that the kernel has used the TSC.
func notInvariant(d *result.Document) (why, bool) {
	if d.Host.CPU.InvariantTSC == nil || invariant(d) || hasUsed(d, "tsc") {
		return why{}, false
	}
	found := why{
		cause:    "The CPU does not report an invariant TSC (constant_tsc and nonstop_tsc are not both set), so the kernel does not rely on the TSC.",
		evidence: []string{"CPU flags: " + flags(d)},
		remedies: switchOrReport,
	}
	if h := hypervisorOf(d); h != nil {
		found.cause += " In a virtual machine, the hypervisor decides this. " + h.invariant
	}
	return found, true
}

// invariant reports whether the CPU reports an invariant TSC.
func invariant(d *result.Document) bool {
	return d.Host.CPU.InvariantTSC != nil && *d.Host.CPU.InvariantTSC
}

func flags(d *result.Document) string {
	if len(d.Host.CPU.TSCFlags) == 0 {
		return "none of constant_tsc, nonstop_tsc, tsc_reliable"
	}
	return strings.Join(d.Host.CPU.TSCFlags, " ")
}

// notChosen: the kernel offers the TSC but prefers another clock source.
func notChosen(d *result.Document) (why, bool) {
	found := why{
		cause:    fmt.Sprintf("The kernel offers tsc but prefers %s, which it rates higher.", clockSource(d)),
		evidence: []string{listed + strings.Join(clockSources(d), " ")},
		remedies: switchOrReport,
		links:    []string{clockSourceABI},
	}
	if best(d) != clockSource(d) {
		found.cause = fmt.Sprintf("The kernel offers tsc but uses %s, which is not in its list: it rates %[1]s higher, or somebody selected it at run time.", clockSource(d))
	}
	return found, offers(d, "tsc")
}

// unreadableLog: the kernel does not offer the TSC, and its log cannot be read.
func unreadableLog(d *result.Document) (why, bool) {
	log := d.Host.KernelLog
	if log == nil || log.Reason == "" {
		return why{}, false
	}
	return why{
		cause:    "The kernel does not offer tsc. Its log shows why, but could not be read.",
		evidence: []string{"kernel log: " + log.Reason},
		remedies: func(d *result.Document) []result.Remedy {
			return append([]result.Remedy{{
				Advice: "Read the kernel log as root, and search for TSC", Commands: []string{"sudo dmesg | grep -iE 'tsc|clocksource'"},
			}}, ofHypervisor(d)...)
		},
	}, true
}

// truncatedLog: the messages of the boot, when the kernel judges the TSC, are gone.
func truncatedLog(d *result.Document) (why, bool) {
	log := d.Host.KernelLog
	if log == nil || !log.Truncated {
		return why{}, false
	}
	return why{
		cause:    "The kernel command line does not explain why the TSC is not used. The kernel log would, but it no longer reaches back to the boot.",
		evidence: []string{"kernel log: no longer reaches back to the boot"},
		remedies: func(d *result.Document) []result.Remedy {
			return append([]result.Remedy{{
				Advice: "Read the copy of the log in the journal, and search for TSC", Commands: []string{"journalctl -k -b | grep -iE 'tsc|clocksource'"},
			}}, switchOrReport(d)...)
		},
	}, true
}

// switchOrReport returns the switch to tsc, if the kernel offers it and nothing speaks against
// it, and the remedies for the hypervisor. It keeps kvm-clock if the TSC is not invariant:
// kvm-clock corrects the TSC of each CPU.
func switchOrReport(d *result.Document) []result.Remedy {
	_, unstable := markedUnstable(d)
	if !offers(d, "tsc") || clockSource(d) == "tsc" || unstable || clockSource(d) == "kvm-clock" && !invariant(d) {
		return ofHypervisor(d)
	}
	risk := "If the TSCs of the CPUs disagree, time jumps between CPUs, also backwards. The kernel checks this at boot. Leave its watchdog on."
	if !invariant(d) {
		risk += " This CPU does not report an invariant TSC: its rate may change, and it may stop while the CPU sleeps."
	}
	if h := hypervisorOf(d); h != nil && h.risk != "" {
		risk += " " + h.risk
	}
	return append([]result.Remedy{
		{
			Advice:   "Measure the cost of each clock source here, before you change anything permanently",
			Commands: []string{"sudo timebench compare --clocksources all"},
			Risk:     "It switches the clock source of the running system, and restores it.",
		},
		{
			Advice: "Switch to tsc until the next boot. To make it permanent, add clocksource=tsc to the kernel command line",
			Commands: []string{
				"echo tsc | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource",
				"cat /sys/devices/system/clocksource/clocksource0/current_clocksource",
			},
			Risk: risk,
		},
	}, ofHypervisor(d)...)
}

// ofHypervisor returns the remedies for the hypervisor, if there is one.
func ofHypervisor(d *result.Document) []result.Remedy {
	if h := hypervisorOf(d); h != nil {
		return h.remedies
	}
	return nil
}

// A read of the TSC costs 7 to 25 ns on x86 CPUs of the last fifteen years. A trap to a
// hypervisor costs about 1 µs.
const (
	trapNS     = 200
	trapFloors = 60 // times an empty call, so that a slow machine does not look like a trap
)

// trappedTSC finds that reads of the TSC trap to a hypervisor.
func trappedTSC(d *result.Document) *result.Finding {
	c := timedClock(d, "RDTSC@cpu")
	if c == nil || c.Latency.MedianNS < trapNS || c.Latency.MedianNS < trapFloors*compare.Of(d).FloorNS {
		return nil
	}
	finding := &result.Finding{
		Title:    "reads of the TSC trap: the TSC is emulated",
		Evidence: []string{cost(*c), "an empty call costs " + words.Duration(compare.Of(d).FloorNS)},
		Cause:    "A hypervisor intercepts RDTSC, to give the machine a TSC with another rate or offset than the CPU has. Every clock based on the TSC is slower, although it does not enter the kernel.",
		Links:    []string{"https://xenbits.xen.org/docs/unstable/man/xen-tscmode.7.html"},
	}
	if h := hypervisorOf(d); h != nil {
		finding.Cause += " " + h.trap
		finding.Links = h.links
	}
	finding.Remedies = []result.Remedy{{
		Advice: "Configure the hypervisor not to intercept RDTSC (the cause names the setting, if there is one), or move to a host whose CPU supports TSC scaling",
		Risk:   "The TSC rate then changes when the machine migrates to a host with another TSC rate.",
	}}
	return finding
}

// maxTSCDeviation is the allowed difference of two figures for the TSC rate. The stopwatch may
// be slewed by up to 500 ppm (adjtimex(2)), and the first estimate of the kernel may be wrong
// by as much.
const maxTSCDeviation = 1e-3

// tscRate compares the figures for the TSC rate. It finds nothing while the kernel slews the
// wall clock by a changed tick: that slews the stopwatch too, by up to a tenth (adjtimex(2)).
func tscRate(d *result.Document) *result.Finding {
	if sync := d.Host.TimeSync; sync != nil && changedTick(*sync) {
		return nil
	}
	cpu := d.Host.CPU
	finding := &result.Finding{
		Title: "the TSC does not keep its rate",
		Cause: "The TSC runs at another rate than the kernel assumes, or its rate changes with the CPU load. After a migration, a machine may keep the figure of its old host.",
		Links: []string{"https://docs.kernel.org/virt/kvm/x86/timekeeping.html"},
	}
	compare := func(nameA string, a float64, nameB string, b float64) {
		if a > 0 && b > 0 && math.Abs(a/b-1) > maxTSCDeviation {
			finding.Evidence = append(finding.Evidence, fmt.Sprintf("TSC rate %s: %.3f MHz; %s: %.3f MHz", nameA, a/1e6, nameB, b/1e6))
		}
	}
	compare("under load", cpu.TSCLoadedHz, "asleep", cpu.TSCAsleepHz)
	compare("asleep", cpu.TSCAsleepHz, "figure of the kernel", cpu.KernelTSCHz)
	if len(finding.Evidence) == 0 {
		return nil
	}
	if invariant(d) {
		finding.Evidence = append(finding.Evidence, "the CPU reports an invariant TSC: "+flags(d))
	}
	return finding
}
