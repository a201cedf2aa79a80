package diagnose

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/timebench/timebench/internal/diagnose/remedy"
	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
)

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
	if name == expected || !s.Offers(name) || expected == "tsc" && s.MarkedUnstable() {
		return nil
	}
	evidence := []string{listed + strings.Join(s.ClockSources, " ")}
	reasoning := fmt.Sprintf("The kernel rates %s highest and selects it by default. ", expected)
	if s.SeenWhole() {
		reasoning += "Neither the kernel command line nor the kernel log explains the other choice."
	} else {
		reasoning += "The kernel command line does not explain the other choice (the kernel log since the boot is missing)."
	}
	if chosen.Value == expected {
		reasoning = fmt.Sprintf("The kernel command line names %s, which is available, but %s is in use.", expected, name)
		evidence = append(evidence, onCommandLine+chosen.Text+", which is not in use")
	}
	return &why{
		cause: fmt.Sprintf("%s Therefore somebody selected %s at run time, by writing to current_clocksource. "+
			"This is inferred: the kernel does not record who it was (a person, a script, a service).", reasoning, name),
		evidence: append(evidence, logEvidence(s, s.Switches())...),
		remedies: slices.Concat([]string{"choose-again", "find-chooser", "remove-choice"}, useTSC),
		links:    []string{clockSourceABI},
	}
}

func setAtBoot(s *situation.Situation) *why {
	p := s.BootChoice()
	if p.Value == "" || p.Value != s.ClockSource {
		return nil
	}
	return setBy("The clock source is set", p)
}

// kvmClockOff: kvm-clock, which replaces a TSC that is not invariant, was disabled.
func kvmClockOff(s *situation.Situation) *why {
	if s.Offers("kvm-clock") || s.HostOf("") {
		return nil
	}
	return setBy("kvm-clock, which could replace the TSC, is disabled", s.Parameters("no_kvmclock")...)
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
	return &why{
		cause: fmt.Sprintf("An experiment of timebench selected %s, and was killed before it could restore %s.",
			s.ClockSource, s.Host.UnrestoredClockSource.Original),
		remedies: []string{"restore", "restore-best"},
	}
}

func unrestored(s *situation.Situation) *result.Finding {
	if !s.LeftByExperiment() {
		return nil
	}
	left := s.Host.UnrestoredClockSource
	return &result.Finding{
		Title: fmt.Sprintf("an experiment of timebench left the clock source switched to %s; it was %s", s.ClockSource, left.Original),
		Evidence: []string{
			fmt.Sprintf("/run/timebench/clocksource.json: process %d switched it from %s at %s", left.PID, left.Original, left.Since.UTC().Format(time.DateTime+" UTC")),
			"neither that process nor its guardian is running, and the clock source in use is " + s.ClockSource,
		},
		Cause: "`timebench compare --clocksources` and its guardian process were killed at the same time: " +
			"with their control group, with their container, or both by kill -9. Neither could restore the clock source.",
		Remedies: remedy.For(s, "restore", "restore-best"),
		Links:    []string{clockSourceABI},
	}
}
