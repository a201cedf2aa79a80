package diagnose

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
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
	if read == nil || counter == nil || situation.CostNS(read.Latency) < max(least,
		counters*situation.CostNS(counter.Latency)) {
		return nil
	}
	evidence := []string{row(*read), row(*counter)}
	switch {
	case s.ReadsQPCInUserMode():
		return foundBy(s, evidence, "slow-reads of-qpc")
	case s.OnBSD():
		tsc, quality := s.TSCCounter()
		return foundBy(s, append(evidence, timecounterEvidence(s)...), "slow-reads of-a-bsd",
			"{because}", becauseOfCounter(s), "{tsc}", tsc, "{quality}", strconv.Itoa(quality))
	}
	return foundBy(s, evidence, "slow-reads", "{because}", becauseOfCounter(s))
}

const slowReadsKind = "slow-reads" // the kind of the findings of slowReads

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
