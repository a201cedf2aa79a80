package diagnose

import (
	"fmt"
	"strings"

	"github.com/timebench/timebench/internal/diagnose/remedy"
	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/words"
)

// A read of a fine clock beyond both limits, in ns and in reads of the CPU's counter, does not read that counter in
// user mode.
const (
	slowReadNS       = 500
	slowReadCounters = 20
	// On Linux the checks of kernel entry are more exact, and an emulated CPU reads slowly in user mode.
	slowUserReadNS = 1000
	// QueryPerformanceCounter that reads the CPU's counter in user mode costs 20 to 90 ns. After a restore it was 18
	// times slower, with the page unchanged (cloud-hypervisor/cloud-hypervisor#8383).
	slowQPCNS, slowQPCCounters = 200, 15
)

// slowReads finds fine clocks whose reads cost far more than reads of the CPU's counter, without another explanation:
// on a BSD with a slow timecounter, and on systems without a check of kernel entry.
func slowReads(s *situation.Situation) *result.Finding {
	read, counter := s.FineRead(), s.Fastest(func(c compare.Clock) bool { return c.Path == "cpu" })
	least, counters := float64(slowReadNS), float64(slowReadCounters)
	if s.OnLinux() {
		least = slowUserReadNS
	}
	if s.ReadsQPCInUserMode() {
		least, counters = slowQPCNS, slowQPCCounters
	}
	if read == nil || counter == nil || situation.CostNS(read.Latency) < max(least, counters*situation.CostNS(counter.Latency)) {
		return nil
	}
	if s.OnLinux() && read.KernelEntry != result.Never {
		return nil // the checks of kernel entry cover this
	}
	finding := &result.Finding{
		Title:    "reads of the fine clocks are slow" + becauseOfCounter(s),
		Evidence: []string{row(*read), row(*counter)},
		Remedies: remedy.For(s, "timecounter-tsc", "timecounter-smp-tsc", "timecounter-fast", "timecounter-look", "read-less"),
	}
	switch {
	case s.ReadsQPCInUserMode():
		finding.Title = "QueryPerformanceCounter is slow, although it does not enter the kernel"
		finding.Cause = "The pages that Windows shares with programs allow reads in user mode, but a read costs many times what the counter of the CPU costs. A guest showed this after it was restored from a snapshot."
		finding.Remedies = remedy.For(s, "start-again", "hv-time")
		finding.Links = []string{highResolution}
	case s.OnBSD():
		finding.Evidence = append(finding.Evidence, timecounterEvidence(s)...)
		finding.Cause, finding.Links = timecounterCause(s), []string{bsdLinks[s.Host.OS]}
	default:
		finding.Cause = "The system does not read the counter of the CPU in user mode for these clocks, and why is unknown. It may read a timer on the mainboard, or an emulator, a sandbox or a tracer may handle the calls."
	}
	return finding
}

const slowReadsKind = "slow-reads" // the kind of the findings of slowReads

// becauseOfCounter returns a clause for why the fine clocks are slow.
func becauseOfCounter(s *situation.Situation) string {
	switch {
	case !s.OnBSD():
		return ", and why is unknown"
	case s.ClockSource == "":
		return ", probably because of a slow timecounter"
	default:
		return ", because the timecounter is " + s.ClockSource
	}
}

// bsdLinks are the manual pages of timecounters.
var bsdLinks = map[string]string{
	"freebsd": "https://man.freebsd.org/cgi/man.cgi?query=timecounters&sektion=4", "dragonfly": "https://man.dragonflybsd.org/?command=systimer",
	"netbsd": "https://man.netbsd.org/timecounter.9", "openbsd": "https://man.openbsd.org/tc_init.9",
}

func timecounterEvidence(s *situation.Situation) []string {
	var evidence []string
	if name := s.ClockSource; name != "" {
		evidence = append(evidence, "kern.timecounter.hardware: "+name)
	}
	if source := s.Host.ClockSource; source != nil {
		var choice []string
		for _, q := range source.Qualities {
			choice = append(choice, fmt.Sprintf("%s(%d)", q.Name, q.Quality))
		}
		if choice != nil {
			evidence = append(evidence, "kern.timecounter.choice: "+strings.Join(choice, " "))
		}
		evidence = append(evidence, source.Settings...)
		if source.UserMode != nil && *source.UserMode && s.Host.OS == "freebsd" {
			evidence = append(evidence, "the C library reads the timecounter in user mode, without these system calls")
		}
	}
	return evidence
}

func timecounterCause(s *situation.Situation) string {
	name := s.ClockSource
	if name == "" {
		return "The kernel probably uses a timecounter that user mode cannot read, such as ACPI-fast or HPET. Which one is not in the result."
	}
	cause := words.Either(situation.IsTSCCounter(name), fmt.Sprintf("The kernel uses the timecounter %s, but user mode does not read it (kern.timecounter.fast_gettime, or a C library without support).", name), fmt.Sprintf("The kernel uses the timecounter %s. Each read of a fine clock enters the kernel, which reads that timer.", name))
	if tsc, quality := s.TSCCounter(); tsc != "" && tsc != name && quality < 0 {
		cause += fmt.Sprintf(" It does not select %s, because that has the quality %d: the kernel does not trust the TSC on several CPUs, or with deep idle states.", tsc, quality)
	}
	if s.IsGuest() {
		cause += " In a virtual machine it knows nothing about the TSCs of the host."
	}
	return cause
}
