package diagnose

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/timebench/timebench/internal/diagnose/remedy"
	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/machine/kernellog"
)

// whyNotTSC returns why the kernel does not use the TSC: why it cannot, and who selected another clock source; if both
// are unknown, the best guess.
func whyNotTSC(s *situation.Situation) *why {
	if s.ClockSource == "tsc" {
		return usesTSC(s)
	}
	found := slices.Concat(firstOf(s, pageOff, disabledAtBoot, byLog), firstOf(s, choices...))
	if len(found) == 0 { // the most certain guess
		found = firstOf(s, asIntended, guess(guesses...))
	}
	found = append(found, firstOf(s, kvmClockOff)...)
	if len(found) == 0 {
		found = []*why{newWhy(s, "why unexplained")}
		found[0].evidence = append(found[0].evidence, logCut(s)...)
	}
	all := joined(found)
	all.evidence = append(all.evidence, unusedParameter(s)...)
	return all.withTimers(s)
}

// withTimers adds the remedies for a kernel that counts ticks, before the others.
func (w *why) withTimers(s *situation.Situation) *why {
	if s.HasOnlyTicks() {
		w.remedies = append([]string{"remove-acpi-off", "real-timer"}, w.remedies...)
	}
	return w
}

// guesses are the entries on why the kernel does not use the TSC if no fact shows it, the most certain first.
var guesses = []string{"why other-cpu", "why arm64", notInvariant, "why behind-ticks", "why rated-higher"}

// notInvariant: the kernel requires an invariant TSC. That explains nothing if the log shows that it has used the TSC.
const notInvariant = "why not-invariant"

// guess returns the reason that is the first entry whose facts hold.
func guess(names ...string) reason {
	return func(s *situation.Situation) *why {
		for _, name := range names {
			if remedy.Holds(s, entries()[name].Get("where")) {
				return newWhy(s, name)
			}
		}
		return nil
	}
}

// usesTSC explains reads that enter the kernel although the TSC is in use.
func usesTSC(s *situation.Situation) *why {
	found := newWhy(s, "why tsc-in-use")
	if c := s.Conditions; c != nil && len(c.ClockSources) > 1 {
		found.evidence = []string{"clock sources during the run: " + strings.Join(c.ClockSources, ", then ")}
	}
	return found
}

func disabledAtBoot(s *situation.Situation) *why {
	return setBy(s, "The TSC is disabled", s.Parameters("notsc", "tsc=unstable")...)
}

func pageOff(s *situation.Situation) *why {
	found := setBy(s, "User mode cannot read kvm-clock, because its page is switched off", s.PageOff()...)
	if found != nil {
		found.remedies = []string{"remove-vsyscall"}
	}
	return found
}

// byLog: the kernel log shows why the kernel does not use the counter of the CPU, or why user mode cannot read it.
func byLog(s *situation.Situation) *why {
	faults := s.Faults()
	if len(faults) == 0 {
		return nil
	}
	all := explained(s, faults)
	if s.MarkedUnstable() && !slices.ContainsFunc(faults,
		func(c kernellog.Cause) bool { return c.Kind == "marked-unstable" }) {
		all.cause += " The kernel marked the TSC unstable until the next boot."
	}
	all.evidence = append(all.evidence, logCut(s)...)
	if s.Host.KernelLog.Mixed && !s.LogOnly() {
		all.evidence = append(all.evidence, fmt.Sprintf("the kernel log has %d boots that cannot be "+
			"separated", s.Host.KernelLog.Boots))
	}
	if faults[0].Concerns == kernellog.OfTSC {
		all.remedies = append(all.remedies, remedy.OfHypervisor)
	}
	if doubt := guess(notInvariant)(s); doubt != nil && faults[0].TSC == kernellog.TSCUnknown {
		all.cause += " " + doubt.cause
		all.evidence = append(all.evidence, doubt.evidence...)
	}
	return all
}

// logCut returns evidence of a kernel log without its beginning. It is no line of the log, so it does not begin like
// one.
func logCut(s *situation.Situation) []string {
	if s.Host.KernelLog == nil || !s.Host.KernelLog.Truncated {
		return nil
	}
	return []string{"the kernel log is incomplete: it does not reach back to the boot, or lines are missing"}
}

// explained joins causes of the kernel log, with their lines and remedies.
func explained(s *situation.Situation, causes []kernellog.Cause) *why {
	all := &why{links: []string{kernelMessages}}
	var events []kernellog.Event
	var texts []string
	for _, c := range causes {
		texts, events = append(texts, c.Text), append(events, c.Evidence...)
		all.remedies = append(all.remedies, remedy.OfCause(c.Kind)...)
	}
	all.cause, all.evidence = strings.Join(texts, " "), logEvidence(s, events)
	return all
}

// asIntended: the kernel log shows that the kernel does not use the TSC by design, or in a test of its watchdog.
func asIntended(s *situation.Situation) *why {
	intended := []string{"hyperv-by-design", "xen-by-design", "unused-tsc", "watchdog-test"}
	for _, c := range s.Causes() {
		if slices.Contains(intended, c.Kind) && s.OnX86() && !s.Offers("tsc") {
			return &why{cause: c.Text, evidence: logEvidence(s, c.Evidence), remedies: []string{remedy.OfHypervisor},
				links: []string{kernelMessages}}
		}
	}
	return nil
}

// choices are the ways in which the clock source in use can have been selected, whether or not the kernel could use the
// TSC.
var choices = []reason{leftByExperiment, selectedAtRunTime, setAtBoot}

// selectedAtRunTime: the kernel would use another clock source, either from its command line if available, or the best.
// Only a name written to current_clocksource changes that (clocksource_select in kernel/time/clocksource.c).
func selectedAtRunTime(s *situation.Situation) *why {
	name, expected, chosen := s.ClockSource, s.Best(), s.BootChoice()
	if s.Offers(chosen.Value) {
		expected = chosen.Value
	}
	if expected == "" || name == expected || !s.Offers(name) || expected == "tsc" && s.MarkedUnstable() {
		return nil
	}
	var evidence []string
	reasoning := fmt.Sprintf("The kernel rates %s highest and selects it by default. ", expected)
	switch {
	case !remedy.Holds(s, "command-line-known"):
		return newWhy(s, "why selected-somehow", "{expected}", expected)
	case s.SeenWhole():
		reasoning += "Neither the kernel command line nor the kernel log explains the other choice."
	default:
		reasoning += "The kernel command line does not explain the other choice (the kernel log since the boot is missing)."
	}
	if chosen.Value == expected {
		reasoning = fmt.Sprintf("The kernel command line names %s, which is available, but %s is in use.", expected, name)
		evidence = append(evidence, onCommandLine+chosen.Text+", which is not in use")
	}
	found := newWhy(s, "why selected-at-run-time", "{reasoning}", strings.TrimSpace(reasoning))
	found.evidence = slices.Concat(found.evidence, evidence, logEvidence(s, s.Switches()))
	return found
}

func setAtBoot(s *situation.Situation) *why {
	p := s.BootChoice()
	if p.Value == "" || p.Value != s.ClockSource {
		return nil
	}
	return setBy(s, "The clock source is set", p)
}

// kvmClockOff: kvm-clock, which replaces a TSC that is not invariant, was disabled.
func kvmClockOff(s *situation.Situation) *why {
	if s.Offers("kvm-clock") || s.HostOf("") {
		return nil
	}
	return setBy(s, "kvm-clock, which could replace the TSC, is disabled", s.Parameters("no_kvmclock")...)
}

// askedAtBoot: the command line in a kernel log names the PIT or ticks as the clock source, and the log does not show
// whether the kernel uses it.
func askedAtBoot(s *situation.Situation) *why {
	p := s.BootChoice()
	if !s.LogOnly() || s.ClockSource != "" || !slices.Contains([]string{"pit", "jiffies"}, p.Value) {
		return nil
	}
	found := setBy(s, "The clock source is set", append([]situation.Parameter{p}, s.Parameters("no_kvmclock")...)...)
	found.cause += fmt.Sprintf(" If the kernel uses %s, each read of the time enters the kernel. Remove that, unless "+
		"somebody had a reason.", p.Value)
	return found
}

// unusedParameter returns evidence if the kernel command line names a clock source that the kernel cannot use. It has
// no effect, but the user may rely on it.
func unusedParameter(s *situation.Situation) []string {
	p := s.BootChoice()
	if p.Value == "" || len(s.ClockSources) == 0 || s.Offers(p.Value) || p.Value == s.ClockSource {
		return nil
	}
	return []string{onCommandLine + p.Text + ", which is not available"}
}

func leftByExperiment(s *situation.Situation) *why {
	if !s.LeftByExperiment() {
		return nil
	}
	return newWhy(s, "why left-by-experiment", "{original}", s.Host.UnrestoredClockSource.Original)
}

func unrestored(s *situation.Situation) *result.Finding {
	if !s.LeftByExperiment() {
		return nil
	}
	left := s.Host.UnrestoredClockSource
	return foundBy(s, []string{
		fmt.Sprintf("/run/timebench/clocksource.json: process %d switched it from %s at %s", left.PID, left.Original,
			left.Since.UTC().Format(time.DateTime+" UTC")),
		"neither that process nor its guardian is running, and the clock source in use is " + s.ClockSource,
	}, "clocksource-unrestored", "{original}", left.Original)
}
