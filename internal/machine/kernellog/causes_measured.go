package kernellog

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/show/words"
)

// reasonFunctions are the functions of the rules of reasons.txt.
var reasonFunctions = map[string]functions{
	"cpus-differ-after-resume": {lines: cpusDifferAfterResume},
	"cpus-differ":              {lines: cpusDiffer},
	"wrong-cpuid-rate":         {say: wrongCPUIDRate},
	"impossible-counter-rate": {lines: those(func(_ log, e Event) bool {
		return fastest[e.Clock] > 0 && e.Hz > fastest[e.Clock]
	}, "clocksource-registered")},
	"impossible-rate": {
		lines: those(impossibleRateIn, "clocksource-registered", "tsc-rate", "tsc-refined", "hypervisor-tsc-rate"),
		say:   impossibleRate,
	},
	"calibration-failed": {lines: calibrationFailed},
	"tsc-went-back by-the-watchdog": {
		holds: func(_ log, c comparison) bool { return c.back() && c.marked }, say: wentBack,
	},
	"tsc-went-back by-an-overflow": {holds: func(_ log, c comparison) bool {
		return c.marked && c.skewNS > overflowOfOldNS-dueNS && c.skewNS <= overflowOfOldNS
	}},
	"halts-in-idle by-the-watchdog": {holds: mayHalt},

	"watchdog-stopped": {holds: func(_ log, c comparison) bool {
		return c.marked && c.watchdog.ticks == 0 && slices.Contains([]string{"hpet", "acpi_pm"}, c.watchdog.name) &&
			!c.watchdog.allOnes && !c.back() && c.clock.ticks != 0
	}},
	"watchdog-unreadable": {holds: func(_ log, c comparison) bool { return c.readFailed() }},
	"watchdog-wrapped": {holds: func(_ log, c comparison) bool {
		_, _, ok := c.wrapped()
		return ok
	}, say: watchdogWrapped},
	"watchdog-misread": {holds: func(_ log, c comparison) bool {
		_, _, ok := c.misread()
		return ok && c.marked
	}},
	"watchdog-may-have-wrapped": {holds: mayHaveWrapped, say: perhapsWrapped},
	"weak-watchdog": {holds: func(_ log, c comparison) bool {
		return slices.Contains(weakWatchdogs, c.watchdog.name)
	}},
	"clocks-agree": {holds: func(_ log, c comparison) bool {
		return c.known() && (math.Abs(c.ppm()) <= agreePPM && c.watchdog.ns > longNS && !c.contradicts() || c.long)
	}},
	"watchdog-jumped": {holds: hasJumped},
	"read-back-delay": {lines: gaveUp},
	"bad-refinement": {holds: wronglyRefined, lines: func(l log) []Event {
		return append(l.firstRates(), l.of("tsc-refined")...)
	}},
	"unused-tsc": {holds: func(l log, c comparison) bool { return c.disagrees() && l.unused() }},
	"emulated-clocks": {holds: func(l log, c comparison) bool {
		return l.machine.Guest && slices.Contains(emulated, c.watchdog.name) && c.disagrees()
	}},
	"hpet-of-qemu": {holds: func(l log, c comparison) bool {
		return c.watchdog.rate.hz == 100e6 && c.disagrees() && !l.machine.Guest
	}},
	"tsc-jumped beside-a-tool": {holds: func(l log, c comparison) bool {
		return c.disagrees() && slices.ContainsFunc(l.of("tool"), func(e Event) bool { return e.Index < c.at.Index })
	}},
	"tsc-jumped": {holds: func(_ log, c comparison) bool {
		_, at := c.limits()
		// A TSC with more than 20 GHz jumped, whatever its rate.
		jumped := c.skewNS >= 1e9 || math.IsNaN(c.skewNS) && c.clock.ticks/(at/1e9) > 20e9
		return at > 0 && at < 2e9 && c.marked && jumped
	}},
	"bad-calibration": {holds: badlyCalibrated},
	"clocks-disagree beyond-uptime": {holds: func(_ log, c comparison) bool {
		return c.disagrees() && c.at.Timed && -c.skewNS > float64(c.at.AtNS)+longNS
	}},
	"check-ran-late": {holds: func(_ log, c comparison) bool { return c.disagrees() && c.lateNS() > 0 }},
	"tsc-restarted":  {holds: func(_ log, c comparison) bool { return c.disagrees() && c.restarted() }},
	"one-hpet-for-many": {holds: func(_ log, c comparison) bool {
		const many, mostRead = 256, 1e6 // CPUs, and ns
		isMany := slices.ContainsFunc(c.at.CPUs, func(n int) bool { return n >= many })
		return c.watchdog.name == "hpet" && math.Abs(c.skewNS) < mostRead && c.disagrees() && isMany
	}},
	"hpet-may-stop": {holds: func(l log, c comparison) bool { return c.disagrees() && l.hpetMayStop(c) }},
	"tsc-may-have-stopped": {holds: func(l log, c comparison) bool {
		m := l.machine
		mayStop := m.CPU == "" && c.at.Kind == "watchdog-delta" && (m.Kernel == "" || Older(m.Kernel, 3, 0)) && m.Firmware == ""
		return c.lostTime(l) && (StopsInIdle(m.CPU) || mayStop)
	}},
	"clocks-disagree": {holds: func(_ log, c comparison) bool { return c.disagrees() }, lines: log.heldUp},
	"parameter-ignored": {lines: those(func(l log, e Event) bool {
		return e.Clock == "tsc-early" && l.ignoresParameter()
	}, "watchdog-verdict")},
	"clocks-disagree without-figures": {lines: func(l log) []Event {
		c, _ := l.compared(func(c comparison) bool { return c.marked })
		return append(c.events, l.marking("clocksource watchdog")...)
	}},

	"xen-by-design":   {lines: xenByDesign},
	"counter-trapped": {lines: trapped},
}

// unused is whether the kernel used a hypervisor's clock before it marked the TSC, and no line shows that it then switched.
func (l log) unused() bool {
	marked := slices.IndexFunc(l.events, Event.Marks)
	if marked < 0 || guests[l.machine.ClockSource] == "" {
		return false
	}
	used := l.of("clocksource-switched")
	last := len(used) - 1
	return len(l.of("clocksource-current")) > 0 ||
		last >= 0 && used[last].Index < l.events[marked].Index && used[last].Clock == l.machine.ClockSource
}

// cpusApart returns the lines in which the kernel saw one CPU's TSC behind another's.
func (l log) cpusApart() []Event {
	return append(l.of("tsc-warp", "inter-cpu-skew", "cpu-behind", "cpus-ahead", "cpus-behind", "sync-failed"),
		l.marking("check_tsc_sync_source failed")...)
}

const resuming = 30e9 // how long after the CPUs came up a resume still logs lines, in ns: the CPUs come up first

// resumed returns the lines of the suspend and resume before or around an event.
func (l log) resumed(at Event) []Event {
	return slices.DeleteFunc(l.of("suspended"), func(e Event) bool {
		return e.Index > at.Index && e.Timed && at.Timed && e.AtNS-at.AtNS > resuming
	})
}

// cpusDifferAfterResume returns the lines of such CPUs with the lines of a resume that may be the reason.
func cpusDifferAfterResume(l log) []Event {
	const mostResume = 2 // lines of evidence
	found := cpusDiffer(l)
	if len(found) == 0 || l.machine.Guest {
		return nil
	}
	resume := l.resumed(l.cpusApart()[0])
	if len(resume) == 0 {
		return nil
	}
	return append(found, resume[:min(len(resume), mostResume)]...)
}

// cpusDiffer returns the lines of such CPUs, after the lines of the kernel's corrections.
func cpusDiffer(l log) []Event {
	found := l.cpusApart()
	if len(found) == 0 {
		return nil
	}
	adjusted := l.of("tsc-adjust-compensate", "tsc-adjust-differs", "tsc-adjust-fixed", "tsc-adjust-forced")
	return slices.Concat(adjusted, l.of("sync-pair"), found)
}

// howCPUsDiffer returns the end of the sentence that the TSCs of the CPUs differ: by how much, if a line shows it.
func (l log) howCPUsDiffer() string {
	for _, e := range l.cpusApart() {
		if how := e.difference(l.rates["tsc"], l.of("sync-pair", "sync-failed")); how != "" {
			return ": " + how
		}
	}
	return ""
}

// difference returns by how much the TSCs of CPUs differ by a line; "" if it does not show that.
func (e Event) difference(hz rate, pairs []Event) string {
	switch e.Kind {
	case "tsc-warp":
		if e.Cycles == 0 {
			return ""
		}
		where := "between CPUs"
		for _, pair := range pairs { // the last one before the line is of this pair
			if pair.Index < e.Index && len(pair.CPUs) == 2 {
				where = fmt.Sprintf("between CPU %d and CPU %d", pair.CPUs[0], pair.CPUs[1])
			}
		}
		return fmt.Sprintf("the kernel saw the TSC go back by %s %s", inCycles(e.Cycles, hz), where)
	case "cpu-behind":
		if len(e.CPUs) == 2 && e.Now > e.Last {
			behind := inCycles(int64(e.Now-e.Last), hz)
			return fmt.Sprintf("the TSC of CPU %d, read later, was %s behind the TSC of CPU %d", e.CPUs[0], behind, e.CPUs[1])
		}
	case "cpus-ahead", "cpus-behind":
		where := words.Either(e.Kind == "cpus-behind", "behind", "ahead of")
		if len(e.CPUs) > 1 {
			return fmt.Sprintf("%s %s CPU %d", isOrAre(e), where, e.CPUs[len(e.CPUs)-1])
		}
	}
	return ""
}

// isOrAre returns the first CPUs of a line with their verb, in the singular or the plural.
func isOrAre(e Event) string {
	others := e.CPUs[:len(e.CPUs)-1]
	return words.Either(len(others) == 1, "the TSC of "+words.CPUs(others)+" is", "the TSCs of "+words.CPUs(others)+" are")
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
var withoutNonstopTSC = lazily(`(?i)Pentium\(R\) (?:M|4|III|D)\b|Celeron\(R\) (?:M|D)\b|Core\(TM\)(?:2| Duo| ` +
	`Solo)|Core2|Genuine Intel|Athlon\(tm\) (?:64|XP|MP)|Turion|Sempron`)

// StopsInIdle returns whether the TSC of a model stops while the CPU sleeps.
func StopsInIdle(cpu string) bool { return withoutNonstopTSC().MatchString(cpu) }

// lostTime is whether the kernel saw a TSC behind its watchdog, on what may be a real machine, by more than a wrong
// calibration explains. Before Linux 4.1 it logs the difference alone.
func (c comparison) lostTime(l log) bool {
	const most = 50e3 // ppm
	far := c.at.Kind == "watchdog-delta" || c.ppm() < -most && c.watchdog.ns > shortNS && c.watchdog.name == "hpet"
	return c.disagrees() && c.skewNS < 0 && far && !l.machine.Guest && len(l.heldUp()) == 0
}

// mayHalt is whether the TSC lost time after idle CPUs had begun to sleep in C3, and may be of a CPU whose TSC stops
// there.
func mayHalt(l log, c comparison) bool {
	states, m := l.of("idle-states"), l.machine
	return c.marked && c.skewNS < -oldLimitNS && !c.back() && !m.Guest && len(states) > 0 &&
		states[0].Index < c.at.Index && (m.CPU == "" || StopsInIdle(m.CPU))
}

func wrongCPUIDRate(c *Cause, l log, _ comparison) {
	before, after := l.of("tsc-rate-before"), l.of("tsc-rate-after")
	if len(before) == 0 || len(after) == 0 || before[0].Hz == 0 || after[0].Hz == 0 {
		if len(l.of("tsc-rate-differs")) > 0 {
			c.Text = "The CPU names a TSC rate (CPUID) from which the measured one differs by more than 500 " +
				"ppm. The kernel keeps the CPU's figure, so its clock runs wrong by as much."
		}
		return
	}
	correction := (before[0].Hz/after[0].Hz - 1) * 1e6
	if math.Abs(correction) >= maxSlewPPM {
		percent := (after[0].Hz/before[0].Hz - 1) * 100
		c.Text = fmt.Sprintf("The CPU names a TSC rate of %.3f MHz (CPUID), but %s measures %.3f MHz. The kernel keeps the "+
			"CPU's figure, so its clock runs %s by %.3g %%. NTP would have to correct it by %.0f ppm, and corrects at most %d ppm.",
			before[0].Hz/1e6, strings.ToLower(after[0].Watchdog), after[0].Hz/1e6, words.Either(percent > 0, "fast", "slow"),
			math.Abs(percent), math.Abs(correction), maxSlewPPM)
	}
}

// impossibleRateIn is whether the kernel takes the TSC for faster than any, or has no rate.
func impossibleRateIn(_ log, e Event) bool {
	return strings.HasPrefix(e.Clock, "tsc") &&
		(e.Hz > fastestHz && e.Hz < 1e12 || e.Hz < 1 && e.Kind != "clocksource-registered")
}

func impossibleRate(c *Cause, l log, _ comparison) {
	e := c.Evidence[0]
	c.Text = fmt.Sprintf("The kernel takes the rate of the TSC for %s (%s), which no CPU has: its calibration "+
		"went wrong.", inHz(e.Hz), rateLines[e.Kind].by)
	if r := l.rates["tsc"]; r.hz > 0 && e.Hz > 0 {
		times := e.Hz / r.hz
		if round := math.Round(times); math.Abs(times/round-1) < 0.01 {
			times = round
		}
		c.Text += fmt.Sprintf(" The rate is %s, so a clock based on it runs slow by a factor of %s.", r, fourDigits(times))
		c.Evidence = append(c.Evidence, l.of("bogomips")...)
	}
	c.Evidence = append(c.Evidence, l.of("stepped")...) // a clock at a wrong rate is set again and again
}

// hidden are boot parameters that disable the timers against which the TSC is measured.
var hidden = []string{"acpi=off", "nohpet", "hpet=disable", "pmtmr=0", "noapic"}

// calibrationFailed returns the lines of a kernel to which no timer answered, so the rate of the TSC is unknown.
func calibrationFailed(l log) []Event {
	found := l.marking("could not calculate tsc khz")
	if len(found) == 0 {
		return nil
	}
	return slices.Concat(l.of("tsc-calibration-failed", "tsc-calibration-disturbed"), found, l.of("acpi-off"))
}

// wentBack: the watchdog saw a TSC at or behind its last value.
func wentBack(c *Cause, l log, x comparison) {
	if x.clock.ticks < 0 {
		c.Text = fmt.Sprintf("The TSC went back: by %s cycles in one check of the watchdog", words.Number(-x.clock.ticks))
		if x.clock.ns < 0 {
			c.Text += " (" + span(x.clock.ns) + ")"
		}
		if !math.IsNaN(x.watchdog.ns) {
			c.Text += fmt.Sprintf(", while %s advanced %s", x.against(), span(x.watchdog.ns))
		}
		c.Text += "."
		if x.clock.now < -x.clock.ticks/100 {
			c.Text += " It restarted near zero, as after a suspend of the machine or, in a virtual machine, of its host."
		}
	} else {
		c.Text = "In one check of the watchdog"
		if !math.IsNaN(x.watchdog.ns) {
			c.Text = fmt.Sprintf("While %s advanced %s", x.against(), span(x.watchdog.ns))
		}
		c.Text += ", the TSC showed an advance of 0 ns. The kernel counts a TSC that went back as 0: its value " +
			"was at or behind the value of the last check, on another CPU."
	}
	if l.machine.Guest {
		c.Text += " In a virtual machine it happens when the host pauses, restores or moves it."
	}
}
