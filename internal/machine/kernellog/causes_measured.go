package kernellog

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/show/words"
)

// measuredRules find the results of the kernel's measurements, and what programs and parameters asked of it, in the
// order in which they exclude each other.
var measuredRules = []rule{
	{kind: "gvisor", title: "the program runs in a gVisor sandbox", concerns: OfSandbox, inferred: true, find: logged(gvisorStart, Cause{
		Text: "The program runs in a gVisor sandbox: its log begins with \"Starting gVisor\". The sandbox implements the clocks; the version that it reports is not the version of a Linux kernel.",
	})},
	{kind: "cpus-differ-after-resume", title: "the TSCs of the CPUs differ", find: cpusDifferAfterResume},
	{kind: "cpus-differ", title: "the TSCs of the CPUs differ", find: cpusDiffer},
	{kind: "wrong-cpuid-rate", title: "the CPU reports a wrong rate of its TSC", find: wrongCPUIDRate},
	{kind: "impossible-rate", title: "the kernel measured an impossible rate of the TSC", find: impossibleRate},
	{kind: "calibration-failed", title: "the kernel could not measure the rate of the TSC", find: calibrationFailed},
	{kind: "set-by-parameter", title: "the kernel command line switches the TSC off", inferred: true, find: setByParameter},
	{kind: "tsc-went-back", title: "the TSC went back", find: wentBack},
	{kind: "halts-in-idle", title: "the TSC stops while a CPU sleeps", inferred: true, find: haltsInIdle},
	{kind: "cpufreq-changes", title: "the rate of the TSC changes with the frequency of the CPU", inferred: true, find: markedFor("cpufreq changes", Cause{
		Text: "The TSC counts cycles of the CPU, whose frequency changes (cpufreq; the CPU lacks constant_tsc), so its rate is not constant.", TSC: TSCWrong,
	})},
}

// cpusApart returns the lines in which the kernel saw one CPU's TSC behind another's.
func (l log) cpusApart() []Event {
	return append(l.of(tscWarp, interCPUSkew, cpuBehind, cpusAhead, cpusBehind), l.marking("check_tsc_sync_source failed")...)
}

// resuming is how long after the CPUs came up a resume still logs lines, in ns: the CPUs come up first.
const resuming = 30e9

// resumed returns the lines of the suspend and resume before or around an event.
func (l log) resumed(at Event) []Event {
	return slices.DeleteFunc(l.of(suspended), func(e Event) bool {
		return e.Index > at.Index && e.Timed && at.Timed && e.AtNS-at.AtNS > resuming
	})
}

func cpusDifferAfterResume(l log) (Cause, bool) {
	c, ok := cpusDiffer(l)
	if !ok || l.machine.Guest {
		return Cause{}, false
	}
	resume := l.resumed(l.cpusApart()[0])
	if len(resume) == 0 {
		return Cause{}, false
	}
	const mostResume = 2 // lines of evidence
	c.Evidence = append(c.Evidence, resume[:min(len(resume), mostResume)]...)
	return c, true
}

func cpusDiffer(l log) (Cause, bool) {
	found := l.cpusApart()
	if len(found) == 0 {
		return Cause{}, false
	}
	pairs := l.of(syncPair)
	adjusted := l.of(adjustWarp, adjustDiffers, adjustForced)
	hz := l.rates["tsc"]
	sentences := []string{"The TSCs of the CPUs differ."}
	for _, e := range found {
		if sentence := e.difference(hz, pairs); sentence != "" {
			sentences[0] = sentence
			break
		}
	}
	if warps := ofKind(adjusted, adjustWarp); len(warps) > 0 {
		sentences = append(sentences, fmt.Sprintf("Before, the TSC of %s was %s cycles behind; the kernel moved it forward, but not far enough to agree.", cpuNames(warps[:1]), words.Number(math.Abs(float64(warps[0].Cycles)))))
	}
	switch {
	case l.machine.Guest:
		sentences = append(sentences, "In a virtual machine the hypervisor sets them: seen after a pause, a migration, or when a CPU is added.")
	case len(l.resumed(found[0])) > 0:
		sentences = append(sentences, "The machine had been suspended and resumed: a CPU loses its TSC in suspend to memory (S3), and neither firmware nor kernel restored it.")
	default:
		sentences = append(sentences, "The firmware, which sets the TSCs before the kernel starts, is the usual reason.")
	}
	return Cause{Text: strings.Join(sentences, " "), TSC: TSCWrong, Evidence: slices.Concat(adjusted, pairs, found)}, true
}

func (e Event) difference(hz rate, pairs []Event) string {
	switch e.Kind {
	case tscWarp:
		if e.Cycles == 0 {
			return ""
		}
		where := "between CPUs"
		for _, pair := range pairs { // the last one before the line is of this pair
			if pair.Index < e.Index && len(pair.CPUs) == 2 {
				where = fmt.Sprintf("between CPU %d and CPU %d", pair.CPUs[0], pair.CPUs[1])
			}
		}
		return fmt.Sprintf("The TSCs of the CPUs differ: the kernel saw the TSC go back by %s %s.", inCycles(e.Cycles, hz), where)
	case cpuBehind:
		if len(e.CPUs) == 2 && e.Now > e.Last {
			return fmt.Sprintf("The TSCs of the CPUs differ: the TSC of CPU %d, read later, was %s behind the TSC of CPU %d.", e.CPUs[0], inCycles(int64(e.Now-e.Last), hz), e.CPUs[1])
		}
	case cpusAhead, cpusBehind:
		where := "ahead of"
		if e.Kind == cpusBehind {
			where = "behind"
		}
		if len(e.CPUs) > 1 {
			return fmt.Sprintf("The TSCs of the CPUs differ: %s %s CPU %d.", isOrAre(e), where, e.CPUs[len(e.CPUs)-1])
		}
	}
	return ""
}

// isOrAre returns the first CPUs of a line with their verb, in the singular or the plural.
func isOrAre(e Event) string {
	others := e.CPUs[:len(e.CPUs)-1]
	if len(others) == 1 {
		return "the TSC of " + words.CPUs(others) + " is"
	}
	return "the TSCs of " + words.CPUs(others) + " are"
}

// inCycles returns cycles and, where the rate is known, the time: "115657 cycles (38.63 µs at 2.994 GHz, by BogoMIPS)".
func inCycles(cycles int64, hz rate) string {
	text := fmt.Sprintf("%d cycles", cycles)
	if hz.hz > 0 {
		text += fmt.Sprintf(" (%s at %s)", span(float64(cycles)/hz.hz*1e9), hz)
	}
	return text
}

// withoutNonstopTSC matches the models of CPUs whose TSC stops in C3: Intel's before Nehalem, AMD's before family 10h.
var withoutNonstopTSC = lazily(`(?i)Pentium\(R\) (?:M|4|III|D)\b|Celeron\(R\) (?:M|D)\b|Core\(TM\)(?:2| Duo| Solo)|Core2|Genuine Intel|Athlon\(tm\) (?:64|XP|MP)|Turion|Sempron`)

func haltsInIdle(l log) (Cause, bool) {
	c := Cause{Text: "The TSC stops while a CPU sleeps (the CPU lacks nonstop_tsc), so a clock based on it would stop too.", TSC: TSCWrong}
	if marked := l.marking("tsc halt"); len(marked) > 0 {
		return c.shownBy(marked)
	}
	states, old := l.of(idleStates), withoutNonstopTSC().MatchString(l.machine.CPU)
	lost, ok := l.compared(func(c comparison) bool { return c.marked && c.skewNS < -oldLimitNS && !c.back() })
	if !ok || l.machine.Guest || len(states) == 0 || states[0].Index > lost.at.Index || l.machine.CPU != "" && !old {
		return Cause{}, false
	}
	c.Text = fmt.Sprintf("%s. The CPU sleeps in C3 when idle (ACPI, power states)", lost.both())
	if old {
		c.Text += ", where the TSC of this model stops: " + l.machine.CPU + ". So it was not the check that ran late."
	} else {
		c.Text += ". A guess: it is an old CPU, whose TSC stops there."
	}
	c.Evidence = append(states, lost.events...)
	return c, true
}

func wrongCPUIDRate(l log) (Cause, bool) {
	warnings, before, after := l.of(rateDiffers), l.of(rateBefore), l.of(rateAfter)
	c := Cause{TSC: TSCWrong, Evidence: slices.Concat(warnings, before, after)}
	switch {
	case len(before) > 0 && len(after) > 0 && before[0].Hz > 0 && after[0].Hz > 0:
		off := (before[0].Hz/after[0].Hz - 1) * 1e6
		if math.Abs(off) < 500 {
			return Cause{}, false
		}
		c.Text = fmt.Sprintf("The CPU names a TSC rate of %.3f MHz (CPUID), but %s measures %.3f MHz: %s. The kernel keeps the CPU's figure, so its clock runs wrong by as much, and NTP corrects at most 500 ppm.",
			before[0].Hz/1e6, strings.ToLower(after[0].Watchdog), after[0].Hz/1e6, deviation(off))
	case len(warnings) > 0:
		c.Text = "The CPU names a TSC rate (CPUID) from which the measured one differs by more than 500 ppm. The kernel keeps the CPU's figure, so its clock runs wrong by as much."
	default:
		return Cause{}, false
	}
	return c, true
}

// impossibleRate: the kernel takes the TSC for faster than any, or has no rate.
func impossibleRate(l log) (Cause, bool) {
	found := slices.DeleteFunc(l.of(registered, tscRate, tscRefined, hostRate), func(e Event) bool {
		return !strings.HasPrefix(e.Clock, "tsc") || e.Hz > 1 && !(e.Hz > fastestHz && e.Hz < 1e12) || e.Hz < 1 && e.Kind == registered
	})
	if len(found) == 0 {
		return Cause{}, false
	}
	e := found[0]
	text := fmt.Sprintf("The kernel takes the rate of the TSC for %s (%s), which no CPU has: its calibration went wrong.", inHz(e.Hz), rateLines[e.Kind].by)
	if r := l.rates["tsc"]; r.hz > 0 && e.Hz > 0 {
		times := e.Hz / r.hz
		if round := math.Round(times); math.Abs(times/round-1) < 0.01 {
			times = round
		}
		text += fmt.Sprintf(" The rate is %s, so a clock based on it runs slow by a factor of %s.", r, fourDigits(times))
		found = append(found, l.of(bogoMIPS)...)
	}
	return Cause{TSC: TSCWrong, Evidence: found, Text: text}, true
}

// hidden are boot parameters that disable the timers against which the TSC is measured.
var hidden = []string{"acpi=off", "nohpet", "hpet=disable", "pmtmr=0", "noapic"}

// calibrationFailed: no timer answered, so the rate of the TSC is unknown.
func calibrationFailed(l log) (Cause, bool) {
	marked := l.marking("could not calculate tsc khz")
	if len(marked) == 0 {
		return Cause{}, false
	}
	text := "The kernel could not measure the rate of the TSC: no timer (PIT, HPET, PM timer) gave it a reference, so it cannot use the TSC."
	if p := l.parameter(hidden...); p != "" {
		text += fmt.Sprintf(" The parameter %s on the kernel command line hides those timers.", p)
	} else if len(l.of(acpiOff)) > 0 {
		text += " ACPI is off (\"ACPI: Interpreter disabled\"), usually because of acpi=off on the kernel command line. Without ACPI the kernel finds neither the PM timer nor, usually, the HPET."
	} else if len(l.machine.Parameters) == 0 {
		text += " Parameters such as acpi=off hide those timers."
	}
	return Cause{Text: text, TSC: TSCWrong, Evidence: slices.Concat(l.of(noCalibration), marked, l.of(acpiOff))}, true
}

func setByParameter(l log) (Cause, bool) {
	marked := l.marking("boot parameter")
	p := cmp.Or(l.parameter("tsc=unstable", "notsc"), "tsc=unstable")
	return Cause{Text: "The kernel command line switches the TSC off: " + p + "."}.shownBy(marked)
}

// wentBack: the watchdog saw a TSC at or behind its last value, or KVM did.
func wentBack(l log) (Cause, bool) {
	if marked := l.marking("discovered backwards tsc"); len(marked) > 0 {
		return Cause{Text: "KVM found that the TSC of this host went back, as after a suspend in which the CPUs lost their TSC.", TSC: TSCWrong, Evidence: marked}, true
	}
	c, ok := l.compared(func(c comparison) bool { return c.back() && c.marked })
	if !ok {
		return Cause{}, false
	}
	var text string
	switch {
	case c.clockCycles < 0:
		text = fmt.Sprintf("The TSC went back: by %s in one check of the watchdog", words.Number(-c.clockCycles)+" cycles")
		if c.clockNS < 0 {
			text += " (" + span(c.clockNS) + ")"
		}
		if !math.IsNaN(c.watchdogNS) {
			text += fmt.Sprintf(", while %s advanced %s", c.against(), span(c.watchdogNS))
		}
		text += "."
		if c.now < -c.clockCycles/100 {
			text += " It restarted near zero, as after a suspend of the machine or, in a virtual machine, of its host."
		}
	default:
		text = "In one check of the watchdog"
		if !math.IsNaN(c.watchdogNS) {
			text = fmt.Sprintf("While %s advanced %s", c.against(), span(c.watchdogNS))
		}
		text += ", the TSC showed an advance of 0 ns. The kernel counts a TSC that went back as 0: its value was at or behind the value of the last check, on another CPU."
	}
	if l.machine.Guest {
		text += " In a virtual machine it happens when the host pauses, restores or moves it."
	}
	return Cause{Text: text, TSC: TSCWrong, Evidence: append(c.events, l.marking("")...)}, true
}
