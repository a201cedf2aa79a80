package kernellog

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/show/words"
)

const disagree = "the TSC and its watchdog disagree"

const oneIsNoProof = "One pair of figures does not show which of the two clocks was wrong."

// comparedRules explain the figures of the watchdog, in the order in which they exclude each other.
var comparedRules = []rule{
	{kind: "watchdog-wrapped", title: "the counter of the watchdog wrapped", find: explaining(func(_ log, c comparison) bool {
		_, _, ok := c.wrapped()
		return ok
	}, watchdogWrapped)},
	{kind: "watchdog-misread", title: "the PM timer was probably read wrong", find: explaining(func(_ log, c comparison) bool {
		_, _, ok := c.misread()
		return ok && c.marked
	}, watchdogMisread)},
	{kind: "watchdog-may-have-wrapped", title: disagree, find: explaining(mayHaveWrapped, perhapsWrapped)},
	{kind: "weak-watchdog", title: disagree, find: explaining(func(_ log, c comparison) bool {
		return slices.Contains(weakWatchdogs, c.watchdog)
	}, weakWatchdog)},
	{kind: "clocks-agree", title: "the machine stood still", find: explaining(func(_ log, c comparison) bool {
		return c.known() && (math.Abs(c.ppm()) <= agreePPM && c.watchdogNS > longNS && !c.contradicts() || c.long)
	}, clocksAgree)},
	{kind: "watchdog-jumped", title: disagree, find: explaining(hasJumped, watchdogJumped)},
	{kind: "read-back-delay", title: "the timer of the watchdog is slow to read", find: slowReadBack},
	{kind: "emulated-clocks", title: disagree, find: explaining(func(l log, c comparison) bool {
		return l.machine.Guest && slices.Contains(emulated, c.watchdog) && c.marked && c.both() != ""
	}, emulatedClocks)},
	{kind: "tsc-jumped", title: "the TSC jumped forward", find: explaining(func(_ log, c comparison) bool {
		at := c.atMostNS()
		if !(at > 0 && at < 2e9) || !c.marked {
			return false
		}
		// A TSC with more than 20 GHz jumped, whatever its rate.
		return c.skewNS >= 1e9 || math.IsNaN(c.skewNS) && c.clockCycles/(at/1e9) > 20e9
	}, tscJumped)},
	{kind: "bad-calibration", title: disagree, find: explaining(func(l log, c comparison) bool {
		return c.known() && c.watchdogNS > 0 && math.Abs(c.ppm()) < 1000 && c.marked &&
			(c.clock == "tsc-early" || c.at.Timed && c.at.AtNS < early && !slices.ContainsFunc(l.of(tscRefined), func(e Event) bool { return e.Index < c.at.Index }))
	}, badCalibration)},
	{kind: "check-ran-late", title: disagree, find: explaining(func(_ log, c comparison) bool {
		return c.marked && c.both() != "" && c.lateNS() > 0
	}, ranLate)},
	{kind: "tsc-restarted", title: disagree, find: explaining(func(_ log, c comparison) bool {
		return c.marked && c.both() != "" && c.restarted()
	}, tscRestarted)},
	{kind: "hpet-may-stop", title: disagree, find: explaining(func(l log, c comparison) bool {
		return c.marked && c.both() != "" && l.hpetMayStop(c) && stopsInPC10().MatchString(l.machine.CPU)
	}, func(l log, c comparison) Cause {
		return Cause{Text: strings.Join([]string{c.both() + c.off() + ".", oneIsNoProof, hpetStops, "This CPU is an " + l.machine.CPU + ", so a guess is that the HPET was wrong."}, " ")}
	})},
	{kind: "clocks-disagree", title: disagree, find: clocksDisagree},
}

// explaining returns the rule of a cause that one comparison shows. The lines with its figures are the evidence.
func explaining(holds func(log, comparison) bool, describe func(log, comparison) Cause) func(log) (Cause, bool) {
	return func(l log) (Cause, bool) {
		c, ok := l.compared(func(c comparison) bool { return holds(l, c) })
		if !ok {
			return Cause{}, false
		}
		cause := describe(l, c)
		cause.Evidence = slices.Concat(c.events, l.marking(""), cause.Evidence)
		return cause, true
	}
}

func watchdogWrapped(_ log, c comparison) Cause {
	r, n, _ := c.wrapped()
	rounds := "one round"
	if n > 1 {
		rounds = fmt.Sprintf("%d rounds", n)
	}
	difference := fmt.Sprintf("the difference of %s is %s of %s (%s)", span(c.skewNS), rounds, r.watchdog, span(float64(n)*r.ns))
	cause := Cause{TSC: TSCRight, Harmless: c.long}
	if c.watchdog == "" && math.IsNaN(c.watchdogNS) {
		cause.Text = fmt.Sprintf("%s: %s, so the counter of the watchdog probably wrapped and the TSC is right. The line does not name the watchdog. The check ran late.", c.both(), difference)
		return cause
	}
	cause.Text = fmt.Sprintf("%s: %s, whose counter wrapped. The TSC is right; the check ran late, because the machine was paused or did not run its timers.", c.both(), difference)
	return cause
}

func watchdogMisread(_ log, c comparison) Cause {
	bit, ticks, _ := c.misread()
	return Cause{Text: fmt.Sprintf("%s. That is %s ticks of acpi_pm at %s: about 2^%d, so one bit of the PM timer was probably read wrong, as old PM timers do, and the TSC may be right. "+
		"Then the clock source acpi_pm is the clock that jumped.", c.both(), words.Number(ticks), knownRates["acpi_pm"], bit)}
}

// hzAfter returns the rate of the TSC if the watchdog counted this much more than its values show, in ns.
func (c comparison) hzAfter(more float64) float64 { return c.clockCycles / (c.watchdogNS + more) * 1e9 }

// mayHaveWrapped: the log lacks the rate of the TSC, and the computed rate is impossible unless the counter of the
// watchdog wrapped. It wraps more than once in a pause of a virtual machine, or a pause so long that the kernel's own
// figure is impossible.
func mayHaveWrapped(l log, c comparison) bool {
	if !math.IsNaN(c.clockNS) || !(c.watchdogNS > 0) || !c.marked || slices.Contains(weakWatchdogs, c.watchdog) {
		return false
	}
	rounds := c.rounds()
	if len(rounds) != 1 || c.hzAfter(0) <= fastestHz {
		return false
	}
	hz := c.hzAfter(rounds[0].ns)
	return hz > slowestHz && (hz < fastestHz || l.machine.Guest || c.impossibleNS > 0)
}

func perhapsWrapped(_ log, c comparison) Cause {
	r := c.rounds()[0]
	wrapped := fmt.Sprintf("wrapped once (%s), which makes the rate of the TSC %.3f GHz", span(r.ns), c.hzAfter(r.ns)/1e9)
	if c.hzAfter(r.ns) > fastestHz {
		wrapped = fmt.Sprintf("wrapped several times (every %s)", span(r.ns))
	}
	return Cause{Text: fmt.Sprintf(
		"%s. That is more than any CPU counts in that time. If the counter of %s %s, the TSC is right, and the check ran late, because the machine was paused or did not run its timers. Otherwise the TSC jumped forward.",
		c.both(), r.watchdog, wrapped)}
}

func weakWatchdog(l log, c comparison) Cause {
	text := fmt.Sprintf("%s. That proves little: %s counts timer interrupts, and lost or late ones look like a wrong TSC.", c.both(), c.watchdog)
	if l.machine.Guest {
		text += " In a virtual machine they are lost when the host is busy."
	}
	if l.reliableIgnored(c) {
		text += " Linux before 5.4 also ignores tsc=reliable and tsc=nowatchdog for tsc-early."
	}
	return Cause{Text: text}
}

// reliableIgnored is whether a parameter that switches the watchdog off had no effect on tsc-early (63ec58b44fcc of
// Linux 5.4-rc7 fixed it; stable kernels have the fix too).
func (l log) reliableIgnored(c comparison) bool {
	return c.clock == "tsc-early" && Older(l.machine.Kernel, 5, 4) && l.parameter("tsc=reliable", "tsc=nowatchdog") != ""
}

// agreePPM is the largest difference of two clocks that are both right, in ppm: the limit of NTP.
const agreePPM = 500

func clocksAgree(_ log, c comparison) Cause {
	agree := fmt.Sprintf("%s: they agree within %s (%s ppm), so neither is wrong. ", c.both(), span(c.skewNS), words.ThreeDigits(math.Abs(c.ppm())))
	late := span(c.watchdogNS - dueNS)
	switch {
	case math.Abs(c.ppm()) > agreePPM:
		return Cause{Harmless: c.long, Text: c.both() + ". The kernel skipped this check, because it ran late: the machine was paused or did not run its timers."}
	case c.long:
		return Cause{Harmless: true, TSC: TSCRight, Text: agree + "The kernel skipped this check, because it ran late: the machine stood still for about " + late + "."}
	}
	return Cause{TSC: TSCRight, Text: agree + "The check ran " + late + " late, because the machine stood still, and the kernel applied its limit for half a second to it."}
}

func hasJumped(_ log, c comparison) bool {
	switch {
	case guestClocks[c.watchdog] == "" || math.IsNaN(c.watchdogNS) || c.back():
		return false
	case !c.known(): // the rate of the TSC is unknown
		return !math.IsNaN(c.clockCycles) && c.watchdogNS > 1.5e9
	}
	return math.Abs(c.skewNS) >= 1e9 || math.Abs(c.skewNS) >= c.watchdogNS/2
}

func watchdogJumped(l log, c comparison) Cause {
	const onTime = 1e9 // a check on time, in ns
	var cause Cause
	if l.machine.Hypervisor != "" {
		cause.Evidence = l.of(hypervisorKind)
	}
	switch {
	case !c.known() || c.watchdogNS > c.clockNS && c.clockNS > onTime:
		cause.Text = c.both() + ": the host was suspended, or it paused or moved this virtual machine, and carried the time over into only one of the two clocks."
	case c.watchdogNS > c.clockNS:
		cause.Text = fmt.Sprintf("%s: %s jumped. The host was suspended, or it paused, restored or moved this virtual machine, or added a CPU to it.", c.both(), c.watchdog)
	default:
		cause.Text = fmt.Sprintf("%s: the host stopped this virtual machine for about %s. %s does not count a pause, the TSC does.", c.both(), span(c.skewNS), c.watchdog)
	}
	return cause
}

// slowReadBack: the watchdog gave up because its own timer was slow to read.
func slowReadBack(l log) (Cause, bool) {
	found := l.of(readBackDelay)
	if len(found) == 0 || len(l.marking("clocksource watchdog")) == 0 && !slices.ContainsFunc(found, Event.Marks) {
		return Cause{}, false
	}
	e := found[0]
	took := "too long"
	if e.DelayNS > 0 {
		took = span(e.DelayNS)
	}
	if e.LimitNS > 0 {
		took += fmt.Sprintf(", where %s is the limit", span(e.LimitNS))
	}
	cause := Cause{Evidence: slices.Concat(found, l.marking(""))}
	cause.Text = fmt.Sprintf("The watchdog did not compare the clocks: reading its own timer took %s. The timer is slow to read here, as on machines with many CPUs under load, or in a virtual machine.", took)
	if checked := l.of(syncChecked); len(checked) > 0 && len(checked[0].CPUs) > 1 {
		cause.Evidence = append(cause.Evidence, checked...)
		cause.Text += fmt.Sprintf(" The kernel then compared the TSC of CPU %d with %d other CPUs and found none ahead or behind.", checked[0].CPUs[0], len(checked[0].CPUs)-1)
		doubts := l.doubts()
		if len(doubts) == 0 {
			cause.TSC = TSCRight
			return cause, true
		}
		cause.Evidence = append(cause.Evidence, doubts...)
		cause.Text += " But another check in this log failed or warned, so it is unknown whether the TSC is right."
	}
	return cause, true
}

// doubts returns the lines that speak against the TSC: firmware that wrote to it, another rate, and a comparison by
// which the watchdog marked it.
func (l log) doubts() []Event {
	found := l.of(adjustDiffers, adjustForced, adjustWarp, rateDiffers)
	for _, c := range l.comparisons {
		if c.marked && c.both() != "" {
			found = append(found, c.events...)
		}
	}
	return found
}

// emulated are timers that a hypervisor emulates.
var emulated = []string{"hpet", "acpi_pm", "pit", ""}

func emulatedClocks(_ log, c comparison) Cause {
	return Cause{Text: fmt.Sprintf(
		"%s%s. Both clocks of this virtual machine are the hypervisor's. They drift apart when the host sleeps, pauses or moves the machine, or is too busy. %s", c.both(), c.off(), oneIsNoProof)}
}

func tscJumped(l log, c comparison) Cause {
	return Cause{TSC: TSCWrong, Evidence: l.of(refused), Text: c.both() +
		": the TSC jumped forward. Something wrote to it: a tool that changes P-states or MSRs, the firmware, or a resume."}
}

// early is how long after boot the rate of the TSC may be a first estimate, in ns.
const early = 120e9

func badCalibration(_ log, c comparison) Cause {
	return Cause{Text: fmt.Sprintf(
		"%s%s. So little, so soon after boot, is probably the first estimate of the TSC's rate, which the kernel refines later, or a rate that the firmware set wrong.", c.both(), c.off())}
}

func ranLate(l log, c comparison) Cause {
	condition := ""
	if math.IsNaN(c.atLeastNS()) {
		condition = ", if the watchdog is right"
	}
	cause := Cause{Evidence: l.of(stalled)}
	why := "so the machine slept, was paused or was too busy"
	if len(cause.Evidence) > 0 {
		why = "and the log has a CPU that did nothing for seconds, so the machine hung or was paused"
	}
	cause.Text = fmt.Sprintf("%s%s. The check ran at least %s late%s, %s. %s A guess: one of the two counted that time, and the other did not.", c.both(), c.off(), span(c.lateNS()), condition, why, oneIsNoProof)
	return cause
}

func tscRestarted(_ log, c comparison) Cause {
	return Cause{Text: fmt.Sprintf("%s%s. The TSC stood at %s cycles, %s after the boot, so it began anew meanwhile, as in a suspend and resume. %s A guess: the firmware left a clock wrong at the resume.",
		c.both(), c.off(), words.Number(c.now), span(float64(c.at.AtNS)), oneIsNoProof)}
}

// stopsInPC10 matches the models of CPUs whose HPET stops in the package's deep sleep (arch/x86/kernel/early-quirks.c and
// hpet.c: Coffee Lake, Comet Lake, Ice Lake, their laptops).
var stopsInPC10 = lazily(`(?i)i[3579]-(?:8\d|9\d|10)\d\d\w*`)

// hpetMayStop is whether the watchdog is an HPET that may have stopped in PC10. Linux 5.15 switches it off (6e3cd95234dc).
func (l log) hpetMayStop(c comparison) bool {
	m := l.machine
	return c.watchdog == "hpet" && !(c.skewNS < 0) && !m.Guest && (m.Kernel == "" || Older(m.Kernel, 5, 15) && !Older(m.Kernel, 4, 14))
}

const hpetStops = "The HPET of laptops with Intel's Coffee Lake and Ice Lake (2018 to 2020) stops while the package sleeps (PC10)."

func clocksDisagree(l log) (Cause, bool) {
	c, ok := l.compared(func(c comparison) bool { return c.marked && c.both() != "" })
	marked := l.marking("clocksource watchdog")
	if !ok {
		c, ok = l.compared(func(c comparison) bool { return c.marked })
	}
	switch {
	case !ok && len(marked) == 0:
		return Cause{}, false
	case !ok || c.both() == "":
		return Cause{Evidence: append(c.events, marked...), Text: "The watchdog found that the TSC disagrees with another clock. The log does not have the figures of both, so it does not show which was wrong."}, true
	}
	where := "A guess: the firmware set or disturbed a clock; in a virtual machine, its host did."
	switch {
	case l.machine.Guest:
		where = "In a virtual machine the host sets both."
	case l.hpetMayStop(c) && l.machine.CPU == "":
		where += " " + hpetStops
	case c.skewNS < 0 && c.watchdog == "":
		where = "A guess: the TSC stops or slows down with the CPU, as in old CPUs; in a virtual machine, its host may have paused it."
	}
	return Cause{Evidence: append(c.events, marked...), Text: strings.Join([]string{c.both() + c.off() + ".", oneIsNoProof, where}, " ")}, true
}
