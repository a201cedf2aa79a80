package diagnose

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/kernellog"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/words"
)

// A why explains why the kernel does not use the TSC, with the remedies for that cause.
type why struct {
	cause    string
	evidence []string
	remedies []string // names
	links    []string
}

// A reason returns its explanation, and false if it does not apply.
type reason func(*result.Document) (why, bool)

var (
	// unusable are the reasons why the kernel cannot use the TSC.
	unusable = []reason{noVsyscall, disabledAtBoot, byLog}
	// guesses are the remaining reasons, the most certain first.
	guesses = []reason{notX86, asIntended, notInvariant, notChosen, missingLog}
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
		found = []why{unexplained(d)}
	}
	all := joined(found)
	all.evidence = append(all.evidence, unusedParameter(d)...)
	if hasOnlyTicks(d) {
		all.remedies = append([]string{"remove-acpi-off", "real-timer"}, all.remedies...)
	}
	return all
}

func firstOf(d *result.Document, reasons []reason) []why {
	for _, of := range reasons {
		if found, ok := of(d); ok {
			return []why{found}
		}
	}
	return nil
}

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
		all.remedies = append(all.remedies, r.remedies...)
		all.links = append(all.links, r.links...)
	}
	all.cause = strings.Join(causes, " Also: ")
	return all
}

// notX86: other CPUs have no TSC. The counter of arm64 is readable in user mode, unless the
// kernel works around an erratum of its timer.
func notX86(d *result.Document) (why, bool) {
	if onX86(d) {
		return why{}, false
	}
	if d.Host.Arch != "arm64" {
		return why{cause: "Why user mode cannot read the counter of this CPU is not known."}, true
	}
	links := []string{"https://docs.kernel.org/arch/arm64/silicon-errata.html"}
	if seenWhole(d) {
		return why{cause: "Why is not known: the kernel log names no erratum of the timer that would keep user mode from reading the counter of the CPU.", links: links}, true
	}
	found := why{
		cause:    "A guess: the kernel works around an erratum of the CPU's timer, and traps or forbids reads of the counter in user mode. Its log names the erratum, but is not known.",
		remedies: []string{"read-log"},
		links:    links,
	}
	if log := d.Host.KernelLog; log != nil && log.Reason != "" {
		found.cause = strings.Replace(found.cause, "is not known", "could not be read", 1)
		found.evidence = []string{"kernel log: " + log.Reason}
	}
	return found, true
}

// isTSC: the TSC is in use, so something else sends the reads to the kernel.
func isTSC(d *result.Document) (why, bool) {
	found := why{
		cause: "The vDSO was built without TSC support, or an emulator, a sandbox or a tracer replaces the vDSO, or another clock source was in use while the clocks were measured.",
		links: []string{vdsoManual},
	}
	if c := d.Conditions; c != nil && len(c.ClockSources) > 1 {
		found.evidence = []string{"clock sources during the run: " + strings.Join(c.ClockSources, ", then ")}
	}
	return found, clockSource(d) == "tsc"
}

func disabledAtBoot(d *result.Document) (why, bool) {
	disabling := parameters(d, "notsc", "tsc=unstable")
	return setBy("The TSC is disabled", disabling...), len(disabling) > 0
}

// noVsyscall: kvm-clock is in use, and the kernel command line keeps user mode from reading it
// (arch/x86/kernel/kvmclock.c: kvm_setup_vsyscall_timeinfo).
func noVsyscall(d *result.Document) (why, bool) {
	off := parameters(d, "no_kvmclock_vsyscall")
	found := setBy("User mode cannot read kvm-clock, because its page is switched off", off...)
	found.remedies = []string{"remove-vsyscall"}
	return found, len(off) > 0 && clockSource(d) == "kvm-clock"
}

// notInvariant: the CPU does not report what the kernel requires. It does not explain
// anything if the log shows that the kernel has used the TSC.
func notInvariant(d *result.Document) (why, bool) {
	used := func(e kernellog.Event) bool { return e.Kind == switched && e.Clock == "tsc" }
	if d.Host.CPU.InvariantTSC == nil || invariant(d) || slices.ContainsFunc(events(d), used) {
		return why{}, false
	}
	found := why{
		cause:    "The CPU does not report an invariant TSC (constant_tsc and nonstop_tsc are not both set), so the kernel does not rely on the TSC.",
		evidence: []string{"CPU flags: " + flags(d)},
		remedies: useTSC,
	}
	if h := hypervisorOf(d); h != nil {
		found.cause = strings.TrimSpace(found.cause + " In a virtual machine, the hypervisor decides this. " + h.invariant)
	}
	return found, true
}

func invariant(d *result.Document) bool {
	return d.Host.CPU.InvariantTSC != nil && *d.Host.CPU.InvariantTSC
}

func flags(d *result.Document) string {
	if len(d.Host.CPU.TSCFlags) == 0 {
		return "none of constant_tsc, nonstop_tsc, tsc_reliable"
	}
	return strings.Join(d.Host.CPU.TSCFlags, " ")
}

func notChosen(d *result.Document) (why, bool) {
	found := why{
		cause:    fmt.Sprintf("The kernel offers tsc but prefers %s, which it rates higher.", clockSource(d)),
		evidence: []string{listed + strings.Join(clockSources(d), " ")},
		remedies: useTSC,
		links:    []string{clockSourceABI},
	}
	if best(d) != clockSource(d) {
		found.cause = fmt.Sprintf("The kernel offers tsc but uses %s, which is not in its list: it rates %[1]s higher, or somebody selected it at run time.", clockSource(d))
	}
	return found, offers(d, "tsc")
}

// missingLog: the log would show why, but could not be read, or lacks lines: perhaps those of the boot, when the kernel judges the TSC.
func missingLog(d *result.Document) (why, bool) {
	log := d.Host.KernelLog
	switch {
	case log == nil || log.Reason == "" && !log.Truncated:
		return why{}, false
	case log.Reason != "":
		return why{
			cause:    "The kernel does not offer tsc. Its log shows why, but could not be read.",
			evidence: []string{"kernel log: " + log.Reason}, remedies: slices.Concat([]string{"read-log"}, useTSC),
		}, true
	}
	return why{
		cause:    "The kernel command line does not explain why the TSC is not used. The kernel log would, but " + isIncomplete + ".",
		evidence: []string{incompleteLog}, remedies: slices.Concat([]string{"read-journal"}, useTSC),
	}, true
}

const (
	isIncomplete = "it does not reach back to the boot, or lines are missing"
	// incompleteLog is evidence that is no line of the log, so it does not begin like one.
	incompleteLog = "the kernel log is incomplete: " + isIncomplete
)

func seenWhole(d *result.Document) bool {
	log := d.Host.KernelLog
	return log != nil && log.Reason == "" && !log.Truncated
}

func unexplained(d *result.Document) why {
	if seenWhole(d) {
		return why{cause: "Neither the kernel log nor the kernel command line explains why the TSC is not used.", remedies: useTSC}
	}
	return why{
		cause:    "The kernel command line does not explain why the TSC is not used, and the kernel log is not in the result.",
		remedies: slices.Concat([]string{"read-log"}, useTSC),
	}
}

// useTSC are the names of the remedies where the kernel might use the TSC: the switch to it, and
// what the hypervisor can do.
var useTSC = []string{"measure-sources", "switch-to-tsc", ofHypervisors}

// A read of the TSC costs 7 to 25 ns on x86 CPUs of the last fifteen years. A trap to a
// hypervisor costs about 1 µs.
const (
	trapNS     = 200
	trapFloors = 60 // times an empty call, so that a slow machine does not look like a trap
)

func trappedTSC(d *result.Document) *result.Finding {
	c := timedClock(d, "RDTSC@cpu")
	if c == nil || CostNS(c.Latency) < trapNS || CostNS(c.Latency) < trapFloors*compare.Of(d).FloorNS {
		return nil
	}
	finding := &result.Finding{
		Title:    "reads of the TSC trap: the TSC is emulated",
		Evidence: []string{row(*c), "an empty call · " + words.Duration(compare.Of(d).FloorNS)},
		Cause:    "A hypervisor intercepts RDTSC, to give the machine a TSC with another rate or offset than the CPU has. Every clock based on the TSC is slower, although it does not enter the kernel.",
		Links:    []string{"https://xenbits.xen.org/docs/unstable/man/xen-tscmode.7.html"},
	}
	if h := hypervisorOf(d); h != nil {
		finding.Cause += " " + h.trap
		finding.Links = h.links
	}
	finding.Remedies = advise(d, "untrap", "vmware-scaling")
	return finding
}

// maxTSCDeviation is the allowed difference of two figures for the TSC rate. The stopwatch may
// be slewed by up to 500 ppm (adjtimex(2)), and the first estimate of the kernel may be wrong
// by as much.
const maxTSCDeviation = 1e-3

// tscRates compares the figures for the TSC rate, and returns those that differ. It finds nothing
// while the kernel slews the wall clock by a changed tick: that slews the stopwatch too, by up to a
// tenth (adjtimex(2)).
func tscRates(d *result.Document) []string {
	if sync := d.Host.TimeSync; sync != nil && changedTick(*sync) {
		return nil
	}
	var evidence []string
	compare := func(nameA string, a float64, nameB string, b float64) {
		if a > 0 && b > 0 && math.Abs(a/b-1) > maxTSCDeviation {
			evidence = append(evidence, fmt.Sprintf("TSC rate %s: %.3f MHz; %s: %.3f MHz", nameA, a/1e6, nameB, b/1e6))
		}
	}
	compare("while clocks were read", d.Host.CPU.TSCLoadedHz, "asleep", d.Host.CPU.TSCAsleepHz)
	compare("asleep", d.Host.CPU.TSCAsleepHz, "figure of the kernel", d.Host.CPU.KernelTSCHz)
	return evidence
}

func tscRateDiffers(d *result.Document) bool { return len(tscRates(d)) > 0 }

func tscRate(d *result.Document) *result.Finding {
	evidence := tscRates(d)
	if evidence == nil {
		return nil
	}
	if invariant(d) {
		evidence = append(evidence, "the CPU reports an invariant TSC: "+flags(d))
	}
	return &result.Finding{
		Title:    "the TSC does not keep its rate",
		Evidence: evidence,
		Cause:    "The TSC runs at another rate than the kernel assumes, or its rate changes with the CPU load. After a migration, a machine may keep the figure of its old host.",
		Remedies: advise(d, "start-again", "hypervisor-clock", "update-firmware", "other-source"),
		Links:    []string{"https://docs.kernel.org/virt/kvm/x86/timekeeping.html"},
	}
}
