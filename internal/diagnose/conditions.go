package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/result"
)

// quota tells that the process may not use its CPUs all the time.
func quota(d *result.Document) *result.Finding {
	cpu := d.Host.CPU
	if cpu.Quota <= 0 || cpu.Quota >= float64(cpu.Usable) {
		return nil
	}
	finding := &result.Finding{
		Title:    fmt.Sprintf("a quota leaves the process the time of %.3g CPUs", cpu.Quota),
		Evidence: []string{fmt.Sprintf("control group: %s of CPU time in every %s", nanoseconds(cpu.Quota*float64(cpu.QuotaPeriodNS)), nanoseconds(float64(cpu.QuotaPeriodNS)))},
		Cause:    "A program that has used its time up stands still until the period ends: a read that falls there takes milliseconds, whatever the clock costs.",
		Links:    []string{"https://docs.kernel.org/scheduler/sched-bwc.html"},
	}
	if c := d.Conditions; c != nil && c.ThrottledPeriods > 0 {
		finding.Evidence = append(finding.Evidence, fmt.Sprintf("while this ran it was stopped in %s, for %s together", counted(c.ThrottledPeriods, "period"), nanoseconds(float64(c.ThrottledNS))))
	}
	return finding
}

// muchSteal is the share of the CPUs' time from which on programs feel the lack.
const muchSteal = 0.10

// steal tells that the hypervisor gave the CPUs to others.
func steal(d *result.Document) *result.Finding {
	if d.Conditions == nil || d.Conditions.StealShare <= mostSteal {
		return nil
	}
	severity := result.Note
	if d.Conditions.StealShare > muchSteal {
		severity = result.Warn
	}
	return &result.Finding{
		Severity: severity,
		Title:    "the hypervisor gives the CPUs' time to others",
		Evidence: []string{fmt.Sprintf("/proc/stat: %s of the CPUs' time was stolen while this ran", percent(d.Conditions.StealShare))},
		Cause:    "The host has more to do than it has CPUs. Reads that fall into such a gap take milliseconds, and the time service has a harder task.",
		Remedies: []result.Remedy{{Advice: "Move to a host with fewer machines, or to a type with CPUs of its own"}},
		Links:    []string{"https://man7.org/linux/man-pages/man5/proc_stat.5.html"},
	}
}

// governor tells that the CPUs change their frequency, where it was seen to matter.
func governor(d *result.Document) *result.Finding {
	c := d.Conditions
	saving := slices.DeleteFunc(slices.Clone(d.Host.CPU.Governors), func(name string) bool { return name == "performance" })
	if c == nil || c.FloorLowNS == 0 || c.FloorHighNS/c.FloorLowNS-1 <= mostSpeedChange || len(saving) == 0 {
		return nil
	}
	return &result.Finding{
		Title:    "the CPUs change their frequency",
		Evidence: []string{"scaling_governor: " + strings.Join(saving, ", "), fmt.Sprintf("an empty call took between %.3g and %.3g ns in half of the rounds", c.FloorLowNS, c.FloorHighNS)},
		Cause:    "The governor slows idle CPUs down: the first reads after a pause are dearer than those of a busy program.",
		Remedies: []result.Remedy{{
			Advice: "For a measurement, or where latency matters more than power, fix the frequency", Commands: []string{"sudo cpupower frequency-set -g performance"},
			Risk: "More power and heat.",
		}},
		Links: []string{"https://docs.kernel.org/admin-guide/pm/cpufreq.html"},
	}
}

// singleCPU tells that scaling cannot be seen.
func singleCPU(d *result.Document) *result.Finding {
	if d.Host.CPU.Usable != 1 || d.Host.CPU.Logical < 2 {
		return nil
	}
	return &result.Finding{
		Title:    "the process may use one CPU only",
		Evidence: []string{fmt.Sprintf("sched_getaffinity: 1 of %d CPUs", d.Host.CPU.Logical)},
		Cause:    "Whether clocks scale over CPUs, and whether the CPUs agree on the time, cannot be seen from here.",
	}
}
