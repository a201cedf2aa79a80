package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/diagnose/remedy"
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
	finding := &result.Finding{
		Title: fmt.Sprintf("a CPU quota limits the process to %.3g CPUs", cpu.Quota),
		Evidence: []string{
			fmt.Sprintf("control group: %s of CPU time per %s", words.Duration(cpu.Quota*periodNS), words.Duration(periodNS)),
		},
		Cause:    "The kernel stops a process that has used up its quota until the period ends. A read during that time takes milliseconds, whatever the clock costs, and a sleep ends as late.",
		Remedies: remedy.For(s, "raise-quota"),
		Links:    []string{"https://docs.kernel.org/scheduler/sched-bwc.html"},
	}
	if c := s.Conditions; c != nil && c.ThrottledPeriods > 0 {
		finding.Evidence = append(finding.Evidence, "during the run: "+throttled(*c))
		finding.Evidence = append(finding.Evidence, paused(s)...)
	}
	return finding
}

const highSteal = 0.10 // the share of CPU time from which programs notice the loss

func steal(s *situation.Situation) *result.Finding {
	if s.Conditions == nil || s.Conditions.StealShare <= maxSteal {
		return nil
	}
	severity := words.Either(s.Conditions.StealShare > highSteal, result.Warn, result.Note)
	return &result.Finding{
		Severity: severity,
		Title:    "the hypervisor gives CPU time to others (steal)",
		Evidence: append([]string{fmt.Sprintf("/proc/stat: %s of the CPU time was stolen during the run", words.Percent(s.Conditions.StealShare))}, paused(s)...),
		Cause:    "The host has more work than CPUs. A read during such a pause takes milliseconds, a sleep ends as late, and the time service is less accurate.",
		Remedies: remedy.For(s, "burstable", "quieter-host"),
		Links:    []string{"https://man7.org/linux/man-pages/man5/proc_stat.5.html"},
	}
}

func governor(s *situation.Situation) *result.Finding {
	c := s.Conditions
	saving := slices.DeleteFunc(slices.Clone(s.Host.CPU.Governors), func(name string) bool { return name == "performance" })
	if c == nil || !speedChanged(*c) || len(saving) == 0 {
		return nil
	}
	return &result.Finding{
		Title:    "the CPU frequency changes",
		Evidence: []string{"scaling_governor: " + strings.Join(saving, ", "), emptyCall(*c)},
		Cause:    "The governor lowers the frequency of idle CPUs. The first reads after a pause are slower than the reads of a busy program.",
		Remedies: remedy.For(s, "performance-governor"),
		Links:    []string{"https://docs.kernel.org/admin-guide/pm/cpufreq.html"},
	}
}

func singleCPU(s *situation.Situation) *result.Finding {
	if s.Host.CPU.Usable != 1 || s.Host.CPU.Logical < 2 {
		return nil
	}
	return &result.Finding{
		Title:    "the process may use only one CPU",
		Evidence: []string{fmt.Sprintf("usable CPUs: 1 of %d", s.Host.CPU.Logical)},
		Cause:    "Whether clocks scale over CPUs, and whether the CPUs agree on the time, cannot be measured on one CPU.",
	}
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
	if evidence == nil {
		return nil
	}
	finding := &result.Finding{
		Title:    "system calls of clocks are refused",
		Evidence: evidence,
		Cause: "A seccomp filter refuses them: the filter of a container engine, of a sandbox, or of a service. Reads through the vDSO still work, but programs that make the system calls fail: " +
			"programs without a vDSO, 32-bit programs, and programs that read the CPU time. If an old libseccomp does not know clock_gettime64, the filter answers it with EPERM in place of ENOSYS. A 32-bit C library then does not fall back to the older call: time is 1970, or the program ends.",
		Remedies: remedy.For(s, "newer-engine", "allow-calls"),
		Links:    []string{"https://docs.docker.com/engine/security/seccomp/", "https://github.com/docker/for-win/issues/8326", "https://man7.org/linux/man-pages/man2/seccomp.2.html"},
	}
	if filter {
		finding.Evidence = append(finding.Evidence, "/proc/self/status: a seccomp filter is installed")
	}
	return finding
}
