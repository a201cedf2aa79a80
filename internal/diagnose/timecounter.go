package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// A read of a fine clock that costs so much, and so many times what the CPU's counter costs, does
// not read that counter in user mode.
const (
	slowReadNS       = 500
	slowReadCounters = 20
	// On Linux the checks of kernel entry say more, and an emulated CPU reads slowly in user mode.
	slowUserReadNS = 1000
	// QueryPerformanceCounter that reads the CPU's counter in user mode costs 20 to 90 ns. After a
	// restore it was 18 times slower, with the page unchanged (cloud-hypervisor/cloud-hypervisor#8383).
	slowQPCNS, slowQPCCounters = 200, 15
)

// bsds are the systems whose clock source is a timecounter (timecounters(4), tc_init(9)).
var bsds = []string{"freebsd", "netbsd", "openbsd", "dragonfly"}

func onBSD(d *result.Document) bool { return slices.Contains(bsds, d.Host.OS) }

// slowReads finds fine clocks whose reads cost far more than reads of the CPU's counter,
// where no other check explains them: on a BSD with a slow timecounter, and on systems of which
// nothing more is known.
func slowReads(d *result.Document) *result.Finding {
	read, counter := fineRead(d), cheapest(d, func(c compare.Clock) bool { return c.Path == "cpu" })
	least, counters := float64(slowReadNS), float64(slowReadCounters)
	if onLinux(d) {
		least = slowUserReadNS
	}
	if readsQPCInUserMode(d) {
		least, counters = slowQPCNS, slowQPCCounters
	}
	if read == nil || counter == nil || CostNS(read.Latency) < max(least, counters*CostNS(counter.Latency)) {
		return nil
	}
	if onLinux(d) && read.KernelEntry != result.Never {
		return nil // the checks of kernel entry say what is known
	}
	for _, explains := range []func(*result.Document) *result.Finding{kernelEntry, noVDSO, unproven, trappedTSC, qpcKernel} {
		if explains(d) != nil {
			return nil
		}
	}
	finding := &result.Finding{
		Title:    slowFineClocks + ", and why is not known",
		Evidence: []string{row(*read), row(*counter)},
		Cause:    "The system does not read the counter of the CPU in user mode for these clocks, and why is not known. It may read a timer on the mainboard, or an emulator, a sandbox or a tracer may handle the calls.",
		Remedies: advise(d, "read-less"),
	}
	if readsQPCInUserMode(d) {
		finding.Title = "QueryPerformanceCounter is slow, although it does not enter the kernel"
		finding.Cause = "The pages that Windows shares with programs allow reads in user mode, but a read costs many times what the counter of the CPU costs. A guest showed this after it was restored from a snapshot."
		finding.Remedies = advise(d, "start-again", "hv-time")
		finding.Links = []string{highResolution}
	}
	if !onBSD(d) {
		return finding
	}
	finding.Evidence = append(finding.Evidence, timecounterEvidence(d)...)
	finding.Cause = timecounterCause(d)
	finding.Remedies = slices.Concat(advise(d, "timecounter-tsc", "timecounter-smp-tsc", "timecounter-fast", "timecounter-look"), finding.Remedies)
	finding.Links = []string{bsdLinks[d.Host.OS]}
	finding.Title = slowFineClocks + ", probably because of a slow timecounter"
	if name := clockSource(d); name != "" {
		finding.Title = slowFineClocks + ", because the timecounter is " + name
	}
	return finding
}

// slowFineClocks begins the titles of [slowReads].
const slowFineClocks = "reads of the fine clocks are slow"

// fineRead returns the clock that [slowReads] compares with the counter of the CPU; nil if it was not timed.
func fineRead(d *result.Document) *compare.Clock {
	if readsQPCInUserMode(d) {
		return timedClock(d, qpcID)
	}
	return cheapestFine(d)
}

func readsQPCInUserMode(d *result.Document) bool {
	w := d.Host.Windows
	return w != nil && w.Wine == nil && w.QPC != nil && w.QPC.UserMode != nil && *w.QPC.UserMode
}

// bsdLinks are the manual pages of timecounters.
var bsdLinks = map[string]string{
	"freebsd": "https://man.freebsd.org/cgi/man.cgi?query=timecounters&sektion=4", "dragonfly": "https://man.dragonflybsd.org/?command=systimer",
	"netbsd": "https://man.netbsd.org/timecounter.9", "openbsd": "https://man.openbsd.org/tc_init.9",
}

// cheapestFine returns the cheapest of the clocks that programs read for the time; nil if none was
// timed. Off Linux a system call may be the only way to read them.
func cheapestFine(d *result.Document) *compare.Clock {
	return cheapest(d, func(c compare.Clock) bool {
		call, path, _ := strings.Cut(c.ID, "@")
		return Everyday(c.ID) || !onLinux(d) && path == "syscall" && Everyday(call+"@libc")
	})
}

func cheapest(d *result.Document, is func(compare.Clock) bool) *compare.Clock {
	var found *compare.Clock
	for i, c := range compare.Of(d).Clocks {
		if is(c) && c.Latency != nil && (found == nil || c.Latency.MedianNS < found.Latency.MedianNS) {
			found = &compare.Of(d).Clocks[i]
		}
	}
	return found
}

func timecounterEvidence(d *result.Document) []string {
	var evidence []string
	if name := clockSource(d); name != "" {
		evidence = append(evidence, "kern.timecounter.hardware: "+name)
	}
	if s := d.Host.ClockSource; s != nil {
		var choice []string
		for _, q := range s.Qualities {
			choice = append(choice, fmt.Sprintf("%s(%d)", q.Name, q.Quality))
		}
		if choice != nil {
			evidence = append(evidence, "kern.timecounter.choice: "+strings.Join(choice, " "))
		}
		evidence = append(evidence, s.Settings...)
		if s.UserMode != nil && *s.UserMode && d.Host.OS == "freebsd" {
			evidence = append(evidence, "the C library reads the timecounter in user mode, without these system calls")
		}
	}
	return evidence
}

func timecounterCause(d *result.Document) string {
	name := clockSource(d)
	if name == "" {
		return "The kernel probably uses a timecounter that user mode cannot read, such as ACPI-fast or HPET. Which one is not in the result."
	}
	cause := fmt.Sprintf("The kernel uses the timecounter %s. Each read of a fine clock enters the kernel, which reads that timer.", name)
	if isTSCCounter(name) {
		cause = fmt.Sprintf("The kernel uses the timecounter %s, but user mode does not read it (kern.timecounter.fast_gettime, or a C library without support).", name)
	}
	if tsc, quality := tscCounter(d); tsc != "" && tsc != name && quality < 0 {
		cause += fmt.Sprintf(" It does not select %s, because that has the quality %d: the kernel does not trust the TSC on several CPUs, or with deep idle states.", tsc, quality)
	}
	if isGuest(d) {
		cause += " In a virtual machine it knows nothing about the TSCs of the host."
	}
	return cause
}

func isTSCCounter(name string) bool { return strings.HasPrefix(strings.ToUpper(name), "TSC") }

func tscCounter(d *result.Document) (name string, quality int) {
	for _, available := range clockSources(d) {
		if isTSCCounter(available) {
			name = available
		}
	}
	if s := d.Host.ClockSource; s != nil {
		for _, q := range s.Qualities {
			if isTSCCounter(q.Name) {
				name, quality = q.Name, q.Quality
			}
		}
	}
	return name, quality
}

func setsSysctl(text string) condition {
	return func(d *result.Document) bool {
		return d.Host.ClockSource != nil && slices.Contains(d.Host.ClockSource.Settings, text)
	}
}

// bsdRemedies select another timecounter.
var bsdRemedies = map[string]remedy{
	"timecounter-tsc": {
		source: "FreeBSD timecounters(4), sys/x86/x86/tsc.c; OpenBSD tc_init(9), sys/arch/amd64/amd64/tsc.c; NetBSD timecounter(9): kern.timecounter.hardware",
		where: []condition{onBSD, onX86, func(d *result.Document) bool {
			name, _ := tscCounter(d)
			return name != "" && name != clockSource(d)
		}},
		advise: func(d *result.Document) string {
			name, _ := tscCounter(d)
			return fmt.Sprintf("Select %s, and measure again. To keep it, put the line into /etc/sysctl.conf", name)
		},
		command: func(d *result.Document) []string {
			name, _ := tscCounter(d)
			if !safeInShell().MatchString(name) {
				return nil
			}
			if d.Host.OS == "freebsd" || d.Host.OS == "dragonfly" {
				return []string{"sysctl kern.timecounter.hardware=" + name + " # as root"}
			}
			return []string{"sysctl -w kern.timecounter.hardware=" + name + " # as root"}
		},
		risk: "If the TSCs of the CPUs differ, or the rate changes, time jumps between CPUs, also backwards. Run `timebench skew` and `timebench verify --load` afterwards.",
	},
	"timecounter-smp-tsc": {
		source: "FreeBSD sys/x86/x86/tsc.c: smp_tsc, smp_tsc_adjust; test_tsc in a guest; golang/go#50947",
		where: []condition{func(d *result.Document) bool { return d.Host.OS == "freebsd" }, onX86, setsSysctl("kern.timecounter.smp_tsc=0"), func(d *result.Document) bool {
			_, quality := tscCounter(d)
			return quality < 0
		}},
		advice:   "To make FreeBSD select the TSC by itself, set the loader tunable, and reboot. Do so only if the TSC is invariant and the CPUs agree",
		commands: []string{"echo kern.timecounter.smp_tsc=1 >> /boot/loader.conf # as root"},
		risk:     "FreeBSD then takes the TSC for safe on several CPUs. If it is not, time jumps between CPUs, also backwards.",
	},
	"timecounter-fast": {
		source:   "FreeBSD sys/kern/kern_tc.c: kern.timecounter.fast_gettime",
		where:    []condition{onBSD, setsSysctl("kern.timecounter.fast_gettime=0")},
		advice:   "Let programs read the timecounter in user mode",
		commands: []string{"sysctl kern.timecounter.fast_gettime=1 # as root"},
		risk:     "None known: it is the default.",
	},
	"timecounter-look": {
		source:   "FreeBSD timecounters(4)",
		where:    []condition{onBSD, func(d *result.Document) bool { return clockSource(d) == "" }},
		advice:   "Look which timecounter is in use and which there are. If a TSC is among them (on FreeBSD TSC-low), select it: sysctl kern.timecounter.hardware=TSC-low, or the loader tunable kern.timecounter.smp_tsc=1 if its quality is negative",
		commands: []string{"sysctl kern.timecounter.hardware kern.timecounter.choice kern.timecounter.smp_tsc"},
		risk:     "If the TSCs of the CPUs differ, time jumps between CPUs, also backwards. Run `timebench skew` afterwards.",
	},
}
