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

// whys are the reasons, the most certain first; ok is false where one does not hold.
var whys = []func(*result.Document) (found why, ok bool){
	notX86, isTSC, toldAtBoot, foundUnstable, notInvariant, notChosen, unreadableLog, truncatedLog,
}

func whyNotTSC(d *result.Document) why {
	for _, reason := range whys {
		if found, ok := reason(d); ok {
			return found
		}
	}
	return why{cause: "Why the TSC is not used, neither the kernel's log nor its command line says.", remedies: switchOrAsk}
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

// bootReasons are the parameters by which a kernel is told what to use.
var bootReasons = []string{"notsc", "tsc", "clocksource", "no_kvmclock"}

func toldAtBoot(d *result.Document) (why, bool) {
	told := slices.DeleteFunc(booted(d, bootReasons...), func(parameter string) bool {
		// These speak for the TSC, or of how it is watched.
		return strings.HasSuffix(parameter, "clocksource=tsc") ||
			strings.Contains(parameter, " tsc=") && !strings.HasSuffix(parameter, "tsc=unstable")
	})
	return why{
		cause:    "The kernel was told so on its command line.",
		evidence: told,
		remedies: func(d *result.Document) []result.Remedy {
			return append([]result.Remedy{{
				Advice:   "Take the parameter from the kernel's command line (/etc/default/grub on Debian and Ubuntu, then update-grub; grubby on Fedora and RHEL) and boot again",
				Commands: []string{"grep -oE 'notsc|tsc=[^ ]*|clocksource=[^ ]*|no[-_]kvmclock' /proc/cmdline"},
				Risk:     "Somebody may have had a reason: look whether this machine's TSC was once found unstable.",
			}}, switchOrAsk(d)...)
		},
		links: []string{kernelParameters},
	}, len(told) > 0
}

// notInvariant: the kernel does not rely on it, and may have said so in its log.
func notInvariant(d *result.Document) (why, bool) {
	s, gaveUp := surrendered(d)
	doubtful := d.Host.CPU.InvariantTSC != nil && !*d.Host.CPU.InvariantTSC
	if !gaveUp && !doubtful {
		return why{}, false
	}
	found := why{remedies: switchOrAsk}
	var causes []string
	if gaveUp {
		causes, found.evidence = append(causes, s.cause), surrenderLines(d)
	}
	if doubtful {
		causes = append(causes, "The CPU does not promise a TSC that keeps its rate (the flags constant_tsc and nonstop_tsc are not both there), so the kernel does not rely on it.")
		found.evidence = append(found.evidence, "flags of the CPU: "+flags(d))
		if h := hypervisorOf(d); h != nil {
			causes = append(causes, "In a virtual machine that is the hypervisor's choice: "+h.invariant)
		}
	}
	found.cause = strings.Join(causes, " ")
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
		cause:    fmt.Sprintf("The kernel offers tsc and prefers %s: it rates it higher, or somebody chose it while the system ran.", source(d)),
		evidence: []string{"available clock sources: " + strings.Join(offered(d), " ")},
		remedies: switchOrAsk,
		links:    []string{clockSourceABI},
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
		Kind: "tsc-trapped", Severity: result.Error,
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
		Kind: "tsc-rate", Severity: result.Warn,
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
