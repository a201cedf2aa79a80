package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/show/words"
)

func quota(s *situation.Situation) *result.Finding {
	cpu := s.Host.CPU
	if cpu.Quota <= 0 || cpu.Quota >= float64(cpu.Usable) {
		return nil
	}
	periodNS := float64(cpu.QuotaPeriodNS)
	evidence := []string{fmt.Sprintf("control group: %s of CPU time per %s", words.Duration(cpu.Quota*periodNS),
		words.Duration(periodNS))}
	if c := s.Conditions; c != nil && c.ThrottledPeriods > 0 {
		evidence = append(evidence, "during the run: "+throttled(*c))
		evidence = append(evidence, paused(s)...)
	}
	return foundBy(s, evidence, "quota", "{CPUs}", fmt.Sprintf("%.3g", cpu.Quota))
}

const highSteal = 0.10 // the share of CPU time from which programs notice the loss

func steal(s *situation.Situation) *result.Finding {
	if s.Conditions == nil || s.Conditions.StealShare <= maxSteal {
		return nil
	}
	stolen := fmt.Sprintf("/proc/stat: %s of the CPU time was stolen during the run",
		words.Percent(s.Conditions.StealShare))
	finding := foundBy(s, append([]string{stolen}, paused(s)...), "steal")
	finding.Severity = words.Either(s.Conditions.StealShare > highSteal, result.Warn, result.Note)
	return finding
}

func singleCPU(s *situation.Situation) *result.Finding {
	if s.Host.CPU.Usable != 1 || s.Host.CPU.Logical < 2 {
		return nil
	}
	return foundBy(s, []string{fmt.Sprintf("usable CPUs: 1 of %d", s.Host.CPU.Logical)}, "single-cpu")
}

// refusable are the clocks that a kernel always has as a system call. Without the key refused_calls, the reason why
// they cannot be read shows a refusal.
var refusable = []string{"CLOCK_MONOTONIC@syscall", "CLOCK_REALTIME@syscall", "gettimeofday@syscall"}

func refusedCalls(s *situation.Situation) *result.Finding {
	var evidence []string
	filter := false
	for _, c := range s.Host.RefusedCalls {
		evidence = append(evidence, fmt.Sprintf("%s fails with %s", c.Call, c.Errno))
		filter = filter || c.Seccomp
	}
	if evidence == nil && s.OnLinux() {
		for _, c := range s.Clocks {
			if !c.Available && slices.Contains(refusable, c.ID) && strings.Contains(c.Reason, "operation not permitted") {
				evidence = append(evidence, c.ID+": "+c.Reason)
			}
		}
	}
	if filter {
		evidence = append(evidence, "/proc/self/status: a seccomp filter is installed")
	}
	return foundBy(s, evidence, "clock-calls-refused")
}
