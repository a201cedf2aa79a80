package kernellog

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/timebench/timebench/internal/show/words"
)

const oneIsNoProof = "One pair of figures does not show which of the two clocks was wrong."

// disagrees is whether the kernel marked the clock, and figures show by how much it differed.
func (c comparison) disagrees() bool { return c.marked && c.both() != "" }

// badlyCalibrated is whether the clocks differ by little, so soon after boot that the rate of the TSC may be the first
// estimate.
func badlyCalibrated(l log, c comparison) bool {
	refined := slices.ContainsFunc(l.of("tsc-refined"), func(e Event) bool { return e.Index < c.at.Index })
	first := c.clock.name == "tsc-early" || c.at.Timed && c.at.AtNS < early && !refined
	return c.known() && c.watchdog.ns > 0 && math.Abs(c.ppm()) < 1000 && c.marked && first
}

func hpetMayStop(c *Cause, l log, x comparison) {
	clocksDisagree(c, l, x)
	c.Text += " The HPET of laptops with Intel's Coffee Lake and Ice Lake (2018 to 2020) stops while the package sleeps " +
		"(PC10)."
	if l.machine.CPU != "" {
		c.Text += " This CPU is an " + l.machine.CPU + ", so that is the likeliest guess."
	}
}

func watchdogWrapped(c *Cause, _ log, x comparison) {
	r, n, _ := x.wrapped()
	rounds := words.Either(n > 1, fmt.Sprintf("%d rounds", n), "one round")
	c.Harmless = x.long
	c.Text = fmt.Sprintf("%s: the difference of %s is %s of %s (%s), ", x.both(), span(x.skewNS), rounds,
		r.watchdog, span(float64(n)*r.ns))
	if x.watchdog.name == "" && math.IsNaN(x.watchdog.ns) {
		c.Text += "so the counter of the watchdog probably wrapped and the TSC is right. The line does not name " +
			"the watchdog. The check ran late."
	} else {
		c.Text += "whose counter wrapped. The TSC is right; the check ran late, because the machine was paused " +
			"or did not run its timers."
	}
}

// hzAfter returns the rate of the TSC if the watchdog counted this much more than its values show, in ns.
func (c comparison) hzAfter(more float64) float64 {
	return c.clock.ticks / (c.watchdog.ns + more) * 1e9
}

// mayHaveWrapped: the log lacks the rate of the TSC, and the computed rate is impossible unless the counter of the
// watchdog wrapped. It wraps more than once in a pause of a virtual machine, or a pause so long that the kernel's own
// figure is impossible.
func mayHaveWrapped(l log, c comparison) bool {
	if !math.IsNaN(c.clock.ns) || !(c.watchdog.ns > 0) || !c.marked || slices.Contains(weakWatchdogs, c.watchdog.name) {
		return false
	}
	rounds := c.rounds()
	if len(rounds) != 1 || c.hzAfter(0) <= fastestHz {
		return false
	}
	hz := c.hzAfter(rounds[0].ns)
	return hz > slowestHz && (hz < fastestHz || l.machine.Guest || c.impossibleNS > 0 || l.machine.CPU == "" &&
		c.watchdog.name == "acpi_pm")
}

func perhapsWrapped(c *Cause, _ log, x comparison) {
	r := x.rounds()[0]
	wrapped := fmt.Sprintf("wrapped several times (every %s)", span(r.ns))
	if hz := x.hzAfter(r.ns); hz <= fastestHz {
		wrapped = fmt.Sprintf("wrapped once (%s), which makes the rate of the TSC %.3f GHz", span(r.ns), hz/1e9)
	}
	c.Text = fmt.Sprintf("%s. That is more than any CPU counts in that time. If the counter of %s %s, the TSC "+
		"is right, and the check ran late, because the machine was paused or did not run its timers. Otherwise "+
		"the TSC jumped forward.",
		x.both(), r.watchdog, wrapped)
}

func weakWatchdog(c *Cause, l log, x comparison) {
	c.Text = fmt.Sprintf("%s. That proves little: %s counts timer interrupts, and lost or late ones look like a "+
		"wrong TSC.", cmp.Or(x.both(), "The watchdog marked the TSC"), x.watchdog.name)
	if l.machine.Guest {
		c.Text += " In a virtual machine they are lost when the host is busy."
	}
	if x.clock.name == "tsc-early" && l.ignoresParameter() {
		c.Text += ignored
	}
}

const ignored = " Linux before 5.4 also ignores tsc=reliable and tsc=nowatchdog for tsc-early."

// ignoresParameter is whether the command line trusts the TSC, and the kernel ignores that for tsc-early. Commit
// 63ec58b44fcc of Linux 5.4-rc7 fixed it; stable kernels have the fix too.
func (l log) ignoresParameter() bool {
	return (l.machine.Kernel == "" || Older(l.machine.Kernel, 5, 4)) && l.parameter("tsc=reliable", "tsc=nowatchdog") != ""
}

const agreePPM = 500 // the largest difference of two clocks that are both right, in ppm: the limit of NTP

func clocksAgree(c *Cause, _ log, x comparison) {
	agree := fmt.Sprintf("%s: they agree within %s (%s ppm), so neither is wrong. ", x.both(), span(x.skewNS),
		words.ThreeDigits(math.Abs(x.ppm())))
	late := span(x.watchdog.ns - dueNS)
	c.Harmless, c.TSC = x.long, TSCRight
	switch {
	case math.Abs(x.ppm()) > agreePPM:
		c.Text, c.TSC = x.both()+". The kernel skipped this check, because it ran late: the machine was paused "+
			"or did not run its timers.", TSCUnknown
	case x.long:
		c.Text = agree + "The kernel skipped this check, because it ran late: the machine stood still for about " + late + "."
	default:
		c.Text = agree + "The check ran " + late + " late, because the machine stood still, and the kernel " +
			"applied its limit for half a second to it."
	}
}

func hasJumped(_ log, c comparison) bool {
	switch {
	case guests[c.watchdog.name] == "" || math.IsNaN(c.watchdog.ns) || c.back():
		return false
	case !c.known(): // the rate of the TSC is unknown
		return !math.IsNaN(c.clock.ticks) && c.watchdog.ns > 1.5e9
	}
	return math.Abs(c.skewNS) >= 1e9 || math.Abs(c.skewNS) >= c.watchdog.ns/2
}

func watchdogJumped(c *Cause, _ log, x comparison) {
	const onTime = 1e9 // a check on time, in ns
	switch {
	case !x.known() || x.watchdog.ns > x.clock.ns && x.clock.ns > onTime:
		c.Text = x.both() + ": the host was suspended, or it paused or moved this virtual machine, or added a " +
			"CPU to it, and carried the time over into only one of the two clocks."
	case x.watchdog.ns > x.clock.ns:
		c.Text = fmt.Sprintf("%s: %s jumped. The host was suspended, or it paused, restored or moved this "+
			"virtual machine, or added a CPU to it.", x.both(), x.watchdog.name)
	default:
		c.Text = fmt.Sprintf("%s: the host stopped this virtual machine for about %s. %s does not count a "+
			"pause, the TSC does.", x.both(), span(x.skewNS), x.watchdog.name)
	}
}

// gaveUp returns the lines in which the watchdog gave up because its own timer was slow to read.
func gaveUp(l log) []Event {
	found := l.of("read-back-delay")
	if len(l.marking("clocksource watchdog")) == 0 && !slices.ContainsFunc(found, Event.Marks) {
		return nil
	}
	return found
}

func slowReadBack(c *Cause, l log, _ comparison) {
	e, took := c.Evidence[0], "too long"
	if e.DelayNS > 0 {
		took = span(e.DelayNS)
	}
	if e.LimitNS > 0 {
		took += fmt.Sprintf(", where %s is the limit", span(e.LimitNS))
	}
	c.Text = fmt.Sprintf("The watchdog did not compare the clocks: reading its own timer took %s. The timer is "+
		"slow to read here, as on machines with many CPUs under load, or in a virtual machine.", took)
	checked := l.of("sync-checked")
	c.Evidence = slices.Concat(c.Evidence, l.marking(""), checked)
	if len(checked) == 0 || len(checked[0].CPUs) < 2 {
		return
	}
	c.Text += fmt.Sprintf(" The kernel then compared the TSC of CPU %d with %d other CPUs and found none ahead "+
		"or behind.", checked[0].CPUs[0], len(checked[0].CPUs)-1)
	if doubts := l.doubts(); len(doubts) > 0 {
		c.Evidence = append(c.Evidence, doubts...)
		c.Text += " But another check in this log failed or warned, so it is unknown whether the TSC is right."
	} else {
		c.TSC = TSCRight
	}
}

// doubts returns the lines that speak against the TSC: firmware that wrote to it, another rate, and a comparison by
// which the watchdog marked it.
func (l log) doubts() []Event {
	found := l.of("tsc-adjust-differs", "tsc-adjust-forced", "tsc-adjust-compensate", "tsc-rate-differs")
	for _, c := range l.comparisons {
		if c.disagrees() {
			found = append(found, c.events...)
		}
	}
	return found
}

var emulated = []string{"hpet", "acpi_pm", "pit", ""} // timers that a hypervisor emulates

const early = 120e9 // how long after boot the rate of the TSC may be a first estimate, in ns

func ranLate(c *Cause, l log, x comparison) {
	condition, why := "", "so the machine slept, was paused or was too busy"
	if least, _ := x.limits(); math.IsNaN(least) {
		condition = ", if the watchdog is right"
	}
	if len(l.of("stalled")) > 0 {
		why = "and the log has a CPU that did nothing for seconds, so the machine hung or was paused"
	}
	c.Text = fmt.Sprintf("%s%s. The check ran at least %s late%s, %s. %s A guess: one of the two counted that "+
		"time, and the other did not.", x.both(), x.off(), span(x.lateNS()), condition, why, oneIsNoProof)
}

// stopsInPC10 matches the models of CPUs whose HPET stops in the package's deep sleep (arch/x86/kernel/early-quirks.c
// and hpet.c: Coffee Lake, Comet Lake, Ice Lake, their laptops).
var stopsInPC10 = lazily(`(?i)i[3579]-(?:8\d|9\d|10)\d\d\w*`)

// hpetMayStop is whether the watchdog is an HPET that may have stopped in PC10. Linux 5.15 switches it off
// (6e3cd95234dc), and only later kernels say "skewed".
func (l log) hpetMayStop(c comparison) bool {
	const leastStop = 5e6 // ns
	m := l.machine
	return c.watchdog.name == "hpet" && len(l.of("watchdog-skew")) == 0 && !(c.skewNS < leastStop) &&
		c.laptopsHPET() && !m.Guest && (m.Kernel == "" || Older(m.Kernel, 5, 15) && !Older(m.Kernel, 4, 14)) &&
		(m.CPU == "" || stopsInPC10().MatchString(m.CPU))
}

// laptopsHPET is whether the HPET may have the rate of these chips.
func (c comparison) laptopsHPET() bool {
	return slices.ContainsFunc([]float64{19.2e6, 24e6}, func(hz float64) bool {
		return c.watchdog.rate.hz == 0 && slices.Contains(c.hpets, hz) || math.Abs(c.watchdog.rate.hz/hz-1) < 0.01
	})
}

func clocksDisagree(c *Cause, l log, x comparison) {
	where := "A guess: the firmware set or disturbed a clock; in a virtual machine, its host did."
	switch {
	case l.machine.Guest:
		where = "In a virtual machine the host sets both."
	case x.skewNS < 0 && x.watchdog.name == "":
		where = "A guess: the TSC stops or slows down with the CPU, as in old CPUs; in a virtual machine, its " +
			"host may have paused it."
	}
	c.Text = fmt.Sprintf("%s%s. %s %s", x.both(), x.off(), oneIsNoProof, where)
}
