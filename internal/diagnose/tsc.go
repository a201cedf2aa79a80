package diagnose

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/result"
)

// A why is the reason why the kernel does not use the TSC, as far as the document
// tells, and what can be done about that reason.
type why struct {
	cause    string
	evidence []string
	remedies func(*result.Document) []result.Remedy
	links    []string
}

// A reason returns why, or false where it does not hold.
type reason func(*result.Document) (why, bool)

var (
	// losses are why the TSC cannot be used, whatever was chosen in its place.
	losses = []reason{disabledAtBoot, foundUnstable, presumedUnstable}
	// guesses are what is left where nothing was lost and nobody chose, the most certain
	// first.
	guesses = []reason{notX86, notInvariant, notChosen, unreadableLog, truncatedLog}
)

// whyNotTSC returns why the kernel does not use the TSC: how it was lost, and who chose
// another clock source than the kernel would; where neither is known, the best guess.
func whyNotTSC(d *result.Document) why {
	if found, ok := isTSC(d); ok {
		return found
	}
	found := firstOf(d, losses)
	found = append(found, firstOf(d, choices)...)
	if len(found) == 0 {
		found = firstOf(d, guesses)
	}
	found = append(found, firstOf(d, []reason{kvmClockOff})...)
	if len(found) == 0 {
		found = []why{{cause: "Why the TSC is not used, neither the kernel's log nor its command line says.", remedies: switchOrAsk}}
	}
	all := joined(found)
	all.evidence = append(all.evidence, ineffective(d)...)
	return all
}

// firstOf returns the first of the reasons that holds; none where none does.
func firstOf(d *result.Document, reasons []reason) []why {
	for _, of := range reasons {
		if found, ok := of(d); ok {
			return []why{found}
		}
	}
	return nil
}

// joined returns reasons that hold all at once as one. What several have stands once.
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
	all.cause = strings.Join(causes, " Besides: ")
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

// notX86: other CPUs have no TSC. Arm's counter is always readable, unless the kernel
// works around a fault of the CPU.
func notX86(d *result.Document) (why, bool) {
	return why{
		cause:    "On this CPU the kernel's log says why its own counter cannot be read from user mode (on arm64: a workaround for an erratum of the timer).",
		evidence: logged(d, "erratum", "arch_timer"),
		remedies: func(*result.Document) []result.Remedy { return nil },
		links:    []string{"https://docs.kernel.org/arch/arm64/silicon-errata.html"},
	}, !slices.Contains([]string{"amd64", "386", ""}, d.Host.Arch)
}

// isTSC: it is used, and something else sends the reads to the kernel.
func isTSC(d *result.Document) (why, bool) {
	found := why{
		cause:    "The kernel's vDSO was built without it, or an emulator, a sandbox or a tracer stands in for the vDSO, or the clock source was another one while the clocks were measured.",
		remedies: func(*result.Document) []result.Remedy { return nil },
		links:    []string{vdsoManual},
	}
	if c := d.Conditions; c != nil && len(c.ClockSources) > 1 {
		found.evidence = []string{"clock sources while this ran: " + strings.Join(c.ClockSources, ", then ")}
	}
	return found, source(d) == "tsc"
}

// disabledAtBoot: the kernel was told not to use it.
func disabledAtBoot(d *result.Document) (why, bool) {
	disabling := slices.DeleteFunc(parameters(d, "notsc", "tsc"), func(p parameter) bool { return p.name == "tsc" && p.value != "unstable" })
	return toldBy(disabling), len(disabling) > 0
}

// presumedUnstable: the kernel gave it up by what the CPU promises, and said so in its log.
func presumedUnstable(d *result.Document) (why, bool) {
	s, gaveUp := surrendered(d)
	if !gaveUp {
		return why{}, false
	}
	found := why{cause: s.cause, evidence: surrenderLines(d), remedies: switchOrAsk}
	if doubt, ok := notInvariant(d); ok {
		found.cause += " " + doubt.cause
		found.evidence = append(found.evidence, doubt.evidence...)
	}
	return found, true
}

// notInvariant: the CPU does not promise what the kernel wants. A kernel that has used it
// all the same was content.
func notInvariant(d *result.Document) (why, bool) {
	if d.Host.CPU.InvariantTSC == nil || invariant(d) || switchedTo(d, "tsc") {
		return why{}, false
	}
	found := why{
		cause:    "The CPU does not promise a TSC that keeps its rate (the flags constant_tsc and nonstop_tsc are not both there), so the kernel does not rely on it.",
		evidence: []string{"flags of the CPU: " + flags(d)},
		remedies: switchOrAsk,
	}
	if h := hypervisorOf(d); h != nil {
		found.cause += " In a virtual machine that is the hypervisor's choice: " + h.invariant
	}
	return found, true
}

// invariant reports whether the CPU is known to promise a TSC that keeps its rate.
func invariant(d *result.Document) bool {
	return d.Host.CPU.InvariantTSC != nil && *d.Host.CPU.InvariantTSC
}

func flags(d *result.Document) string {
	if len(d.Host.CPU.TSCFlags) == 0 {
		return "none of constant_tsc, nonstop_tsc, tsc_reliable"
	}
	return strings.Join(d.Host.CPU.TSCFlags, " ")
}

// notChosen: the TSC is there, and something is preferred.
func notChosen(d *result.Document) (why, bool) {
	found := why{
		cause:    fmt.Sprintf("The kernel offers tsc and prefers %s: it rates it higher.", source(d)),
		evidence: []string{listed + strings.Join(offered(d), " ")},
		remedies: switchOrAsk,
		links:    []string{clockSourceABI},
	}
	if best(d) != source(d) {
		found.cause = fmt.Sprintf("The kernel offers tsc and prefers %s, which it does not list: it rates it higher, or somebody chose it while the system ran.", source(d))
	}
	return found, available(d, "tsc")
}

func unreadableLog(d *result.Document) (why, bool) {
	log := d.Host.KernelLog
	if log == nil || log.Reason == "" {
		return why{}, false
	}
	return why{
		cause:    "The kernel does not offer tsc. Its log would say why, and could not be read.",
		evidence: []string{"kernel log: " + log.Reason},
		remedies: func(d *result.Document) []result.Remedy {
			return append([]result.Remedy{{
				Advice: "Read the log as root, and look for TSC", Commands: []string{"sudo dmesg | grep -iE 'tsc|clocksource'"},
			}}, ofHypervisor(d)...)
		},
	}, true
}

// truncatedLog: what it said at the boot, where the TSC is judged, is gone.
func truncatedLog(d *result.Document) (why, bool) {
	log := d.Host.KernelLog
	if log == nil || !log.Truncated {
		return why{}, false
	}
	return why{
		cause:    "Why the TSC is not used, the kernel's command line does not say, and its log no longer reaches back to the boot, where it would.",
		evidence: []string{"kernel log: it no longer reaches back to the boot"},
		remedies: func(d *result.Document) []result.Remedy {
			return append([]result.Remedy{{
				Advice: "Read what the journal kept of the log, and look for TSC", Commands: []string{"journalctl -k -b | grep -iE 'tsc|clocksource'"},
			}}, switchOrAsk(d)...)
		},
	}, true
}

// switchOrAsk offers the switch to tsc, where the kernel offers it and it may be good,
// and what can be done about the hypervisor. kvm-clock is there for guests whose TSC is
// not invariant: it corrects each CPU's.
func switchOrAsk(d *result.Document) []result.Remedy {
	_, gaveUp := surrendered(d)
	if !available(d, "tsc") || source(d) == "tsc" || gaveUp || source(d) == "kvm-clock" && !invariant(d) {
		return ofHypervisor(d)
	}
	risk := "If the CPUs' TSCs disagree, time jumps between CPUs, and back. The kernel checks that at boot; leave its watchdog on."
	if !invariant(d) {
		risk += " This CPU does not promise that its TSC keeps its rate, and runs on while the CPU sleeps."
	}
	if h := hypervisorOf(d); h != nil && h.risk != "" {
		risk += " " + h.risk
	}
	return append([]result.Remedy{
		{
			Advice:   "Measure what each clock source costs here, before anything is changed for good",
			Commands: []string{"sudo timebench compare --clocksources all"},
			Risk:     "It switches the clock source of the running system, and back.",
		},
		{
			Advice: "Switch to tsc, until the next boot; for good, put clocksource=tsc on the kernel's command line",
			Commands: []string{
				"echo tsc | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource",
				"cat /sys/devices/system/clocksource/clocksource0/current_clocksource",
			},
			Risk: risk,
		},
	}, ofHypervisor(d)...)
}

// ofHypervisor is what can be done about the hypervisor, if there is one.
func ofHypervisor(d *result.Document) []result.Remedy {
	if h := hypervisorOf(d); h != nil {
		return h.remedies
	}
	return nil
}

// What a read of the TSC costs where nothing traps: 7 to 25 ns on x86 CPUs of the last
// fifteen years. A trap to a hypervisor costs a microsecond.
const (
	trapNS     = 200
	trapFloors = 60 // times an empty call, so that a slow machine is not taken for a trap
)

func trappedTSC(d *result.Document) *result.Finding {
	c := named(d, "RDTSC@cpu")
	if c == nil || c.Latency.MedianNS < trapNS || c.Latency.MedianNS < trapFloors*d.FloorNS {
		return nil
	}
	finding := &result.Finding{
		Title:    "reads of the TSC trap: something emulates it",
		Evidence: []string{costs(*c), "an empty call costs " + nanoseconds(d.FloorNS)},
		Cause:    "A hypervisor intercepts RDTSC, to give the machine a TSC of another rate or offset than the CPU has. Every clock that is made of the TSC pays for it, although it does not enter the kernel.",
		Links:    []string{"https://xenbits.xen.org/docs/unstable/man/xen-tscmode.7.html"},
	}
	if h := hypervisorOf(d); h != nil {
		finding.Cause += " " + h.trap
		finding.Links = h.links
	}
	finding.Remedies = []result.Remedy{{
		Advice: "Have the hypervisor leave the TSC alone (the cause names its setting, if it has one), or move to a host whose CPU can scale the TSC",
		Risk:   "A machine that migrates to a host with another TSC rate then sees its rate change.",
	}}
	return finding
}

// mostTSCDeviation is how far two figures of the TSC's rate may lie apart: the wall
// clock's slew by its frequency is up to 500 parts in a million (adjtimex(2)), and the kernel's first
// guess may be as far off.
const mostTSCDeviation = 1e-3

// tscRate holds the TSC's rates against each other. The stopwatch is slewed with the wall
// clock: while that is done by another tick, by up to a tenth (adjtimex(2)), nothing can be
// said.
func tscRate(d *result.Document) *result.Finding {
	if sync := d.Host.TimeSync; sync != nil && otherTick(*sync) {
		return nil
	}
	cpu := d.Host.CPU
	finding := &result.Finding{
		Title: "the TSC does not keep its rate",
		Cause: "The counter runs at another rate than the kernel reckons with, or changes it with the CPU's load. A machine that was moved to another host may keep the old host's figure.",
		Links: []string{"https://docs.kernel.org/virt/kvm/x86/timekeeping.html"},
	}
	compare := func(name string, a, b float64) {
		if a > 0 && b > 0 && math.Abs(a/b-1) > mostTSCDeviation {
			finding.Evidence = append(finding.Evidence, fmt.Sprintf("%s: %.3f against %.3f MHz", name, a/1e6, b/1e6))
		}
	}
	compare("under load and asleep", cpu.TSCLoadedHz, cpu.TSCAsleepHz)
	compare("asleep and as the kernel reckons", cpu.TSCAsleepHz, cpu.KernelTSCHz)
	if len(finding.Evidence) == 0 {
		return nil
	}
	if invariant(d) {
		finding.Evidence = append(finding.Evidence, "the CPU says that its TSC is invariant: "+flags(d))
	}
	return finding
}
