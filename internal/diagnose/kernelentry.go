package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/clock/vdso"
	"github.com/timebench/timebench/internal/diagnose/remedy"
	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/kernellog"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/words"
)

func kernelEntry(s *situation.Situation) *result.Finding {
	if !s.EntersKernel() {
		return nil
	}
	entering := s.Select(situation.Enters)
	coarse := s.Select(func(c compare.Clock) bool {
		return situation.IsCoarse(c) && c.KernelEntry == result.Never && c.Latency != nil
	})
	evidence := rows(s, append(slices.Clone(entering), coarse...), proof)
	if call := s.Timed("CLOCK_MONOTONIC@syscall"); call != nil {
		evidence = append(evidence, row(*call)+" · the system call itself")
	}
	why := whyNotTSC(s)
	found := newWhy(s, "kernel-entry", "{description}", described(s), "{why}", why.cause).because(why)
	found.evidence = slices.Concat(evidence, whatToWin(s, entering), maxThroughput(entering),
		shares(programsAbove(s, NamedShare, namedCPUs)), why.evidence)
	found.links = distinct(found.links, remedy.HypervisorOf(s).All("link"))
	return found.finding(s)
}

func proof(c compare.Clock) string {
	text := map[string]string{
		result.Always:    "every read enters the kernel",
		result.Sometimes: "some reads enter the kernel",
		result.Never:     "no read enters the kernel",
	}[c.KernelEntry]
	if c.KernelEntryBy != "" {
		text += " (" + c.KernelEntryBy + ")"
	}
	return text
}

// described returns what the clock source in use is, to be added after its name.
func described(s *situation.Situation) string {
	if len(s.PageOff()) > 0 {
		return "" // the description would blame the host
	}
	return descriptions[s.ClockSource]
}

// descriptions describe clock sources, to be added after the name.
var descriptions = map[string]string{
	"hpet":                        " (a timer on the mainboard, shared by all CPUs)",
	"acpi_pm":                     " (the ACPI power management timer, read through an I/O port)",
	"jiffies":                     " (the tick counter of the kernel)",
	"refined-jiffies":             " (the tick counter of the kernel)",
	"pit":                         " (the timer chip of the original PC)",
	"xen":                         " (the clock of Xen, without a page that user mode can read)",
	"kvm-clock":                   " (the clock of KVM; its host does not report the TSC as stable)",
	"hyperv_clocksource":          " (a register that Hyper-V emulates)",
	"hyperv_clocksource_msr":      " (a register that Hyper-V emulates)",
	"hyperv_clocksource_tsc_page": " (the page of Hyper-V is not valid now, or this kernel cannot read it there)",
}

func maxThroughput(clocks []compare.Clock) []string {
	for _, c := range clocks {
		best := compare.Throughput{}
		for _, t := range c.Throughput {
			if t.ReadsPerSecond > best.ReadsPerSecond {
				best = t
			}
		}
		if best.Threads > 0 && situation.IsEveryday(c) {
			return []string{fmt.Sprintf("%s · at most %s, with %s · programs that read more often wait",
				c.ID, words.Rate(best.ReadsPerSecond), words.Plural(best.Threads, "thread"))}
		}
	}
	return nil
}

// cpuCounters are the clock sources that are the counter of the CPU itself.
var cpuCounters = []string{"tsc", "tsc-early", "arch_sys_counter", "riscv_clocksource"}

// whatToWin returns the parts of the time of a read that enters the kernel, and its latency in user mode, for the first
// everyday clock whose layers are known.
func whatToWin(s *situation.Situation, entering []compare.Clock) []string {
	for _, id := range situation.Everyday {
		i := slices.IndexFunc(entering, func(c compare.Clock) bool {
			return c.ID == id && c.Latency != nil && len(compare.Parts(c.Layers)) > 0
		})
		if i < 0 {
			continue
		}
		c := entering[i]
		var each []string
		for _, l := range compare.Parts(c.Layers) {
			name := l.Name
			if s.ClockSource != "" {
				name = strings.ReplaceAll(name, "read the clock source", "read "+s.ClockSource)
			}
			each = append(each, fmt.Sprintf("%s (%s)", l, name))
		}
		text := fmt.Sprintf("%s, %s ns = %s", c.ID, words.NS(c.Latency.MedianNS), strings.Join(each, " + "))
		// Another clock source saves nothing if the kernel already reads the counter of the CPU.
		if userMode := c.GainNS(); userMode > 0 && !slices.Contains(cpuCounters, s.ClockSource) {
			text += fmt.Sprintf(" · about %s ns if the vDSO read the counter of the CPU", words.NS(userMode))
		}
		return []string{text}
	}
	return nil
}

// unproven finds that there is no proof whether the everyday clocks enter the kernel. Without this finding, doctor
// would report that all is well.
func unproven(s *situation.Situation) *result.Finding {
	if hasQPC(s) {
		return unprovenQPC(s)
	}
	clocks, is := s.EntryUnproven()
	if !is {
		return nil
	}
	evidence := rows(s, clocks, whyUnproven)
	named := slices.DeleteFunc(slices.Clone(s.Events()), func(e kernellog.Event) bool {
		return e.Kind != "clocksources-offered" && (e.Clock != s.ClockSource ||
			!slices.Contains([]string{"clocksource-switched", "clocksource-current", "clocksources-used"}, e.Kind))
	})
	switch {
	case len(clocks) == 0 && s.LogOnly() && len(named) > 0:
		evidence = logEvidence(s, named[len(named)-1:])
	case len(clocks) == 0:
		evidence = []string{"none of " + strings.Join(situation.Everyday[:3], ", ") + " was measured"}
	}
	for _, id := range []string{"time.Now@go", "CLOCK_MONOTONIC@syscall"} {
		if c := s.Timed(id); c != nil {
			evidence = append(evidence, row(*c))
		}
	}
	why := whyNotTSC(s)
	found := newWhy(s, "kernel-entry-unproven", "{description}", described(s), "{why}", why.cause).because(why)
	found.evidence = slices.Concat(evidence, why.evidence)
	finding := found.finding(s)
	finding.Severity = words.Either(s.AsXenIntends(), result.Note, result.Warn)
	return finding
}

func whyUnproven(c compare.Clock) string {
	switch {
	case !c.Available:
		return "cannot be read: " + c.Reason
	case c.KernelEntry == "": // verify, skew and drift do not test it
		return "kernel entry was not tested"
	default:
		return "kernel entry is unknown: " + c.KernelEntryBy
	}
}

func noVDSO(s *situation.Situation) *result.Finding {
	if !s.NoVDSO() {
		return nil
	}
	evidence, parameter := []string{"no vDSO clock can be read: " + vdso.ErrNone.Error()}, ""
	if call := s.Timed("CLOCK_MONOTONIC@syscall"); call != nil {
		evidence = append(evidence, row(*call))
	}
	for _, p := range s.Parameters("vdso") {
		evidence = append(evidence, onCommandLine+p.Text)
	}
	if off := s.Parameters("vdso=0", "vdso32=0"); len(off) > 0 {
		parameter = off[0].Text
	}
	evidence = append(evidence, shares(programsAbove(s, NamedShare, namedCPUs))...)
	return foundBy(s, evidence, "no-vdso", "{parameter}", parameter)
}

// slowClocksOfOldKernels finds clocks that the vDSO of an older kernel does not support, although it supports the
// everyday clocks.
func slowClocksOfOldKernels(s *situation.Situation) *result.Finding {
	return foundBy(s, rows(s, s.Select(situation.Enters), proof), "kernel-entry-of-some")
}

func ticking(s *situation.Situation) *result.Finding {
	clocks := s.Ticking()
	if len(clocks) == 0 {
		return nil
	}
	evidence := rows(s, clocks, func(c compare.Clock) string {
		text := "steps by " + words.Duration(c.Resolution.TickNS)
		if c.Resolution.ReportedNS > 0 {
			text += "; clock_getres reports " + words.Duration(c.Resolution.ReportedNS)
		}
		return text
	})
	return foundBy(s, evidence, "fine-clock-ticks", "{tick}", words.Duration(clocks[0].Resolution.TickNS))
}
