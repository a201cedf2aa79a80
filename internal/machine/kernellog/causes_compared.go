package kernellog

import (
	"fmt"
	"math"
	"slices"

	"github.com/timebench/timebench/internal/show/words"
)

// disagrees is whether the kernel marked the clock, and figures show by how much it differed.
func (c comparison) disagrees() bool { return c.marked && c.both() != "" }

// badlyCalibrated is whether the clocks differ by little, so soon after boot that the rate of the TSC may be the first
// estimate, or wrong by a disturbed measurement.
func badlyCalibrated(l log, c comparison) bool {
	const soon, most = 30e9, 10e3 // ns, ppm
	first := c.clock.name == "tsc-early" || c.at.Timed && c.at.AtNS < early && !l.refinedBefore(c)
	disturbed := c.at.Timed && c.at.AtNS < soon && c.watchdog.name == "hpet" && c.watchdog.ns > shortNS &&
		math.Abs(c.ppm()) < most && !l.machine.Guest && len(l.heldUp()) == 0
	return c.known() && c.marked && (first && math.Abs(c.ppm()) < 1000 || disturbed)
}

// refinedBefore is whether the kernel had refined the rate of the TSC before a comparison.
func (l log) refinedBefore(c comparison) bool {
	return slices.ContainsFunc(l.of("tsc-refined"), func(e Event) bool { return e.Index < c.at.Index })
}

// firstRates returns the lines with the first estimate of the TSC's rate. `grep clocksource` leaves the registration of
// tsc-early only.
func (l log) firstRates() []Event {
	if first := l.of("tsc-rate"); len(first) > 0 {
		return first
	}
	return slices.DeleteFunc(l.of("clocksource-registered"), func(e Event) bool { return e.Clock != "tsc-early" })
}

// firstRate returns the rate of the TSC before the kernel refined it by a later measurement; the zero value if the log does
// not have both.
func (l log) firstRate() rate {
	first, refined := l.firstRates(), l.of("tsc-refined")
	if len(first) == 0 || len(refined) == 0 {
		return rate{}
	}
	return first[0].rate()
}

// wronglyRefined is whether the clocks agree by the first rate of the TSC, but not by the refined rate.
func wronglyRefined(l log, c comparison) bool {
	first := c.clock.ticks / l.firstRate().hz * 1e9
	return c.marked && c.known() && !c.rough() && math.Abs(c.ppm()) > 2*agreePPM &&
		math.Abs(first/c.watchdog.ns-1)*1e6 < agreePPM
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

// ignoresParameter is whether the command line trusts the TSC, and the kernel ignores that for tsc-early. Commit
// 63ec58b44fcc of Linux 5.4-rc7 fixed it; stable kernels have the fix too.
func (l log) ignoresParameter() bool {
	return (l.machine.Kernel == "" || Older(l.machine.Kernel, 5, 4)) && l.parameter("tsc=reliable", "tsc=nowatchdog") != ""
}

const agreePPM = 500 // the largest difference of two clocks that are both right, in ppm: the limit of NTP

func hasJumped(_ log, c comparison) bool {
	switch {
	case guests[c.watchdog.name] == "" || math.IsNaN(c.watchdog.ns) || c.back():
		return false
	case !c.known(): // the rate of the TSC is unknown
		return !math.IsNaN(c.clock.ticks) && c.watchdog.ns > 1.5e9
	}
	return math.Abs(c.skewNS) >= 1e9 || math.Abs(c.skewNS) >= c.watchdog.ns/2
}

// gaveUp returns the lines in which the watchdog gave up because its own timer was slow to read, and the lines on what
// the kernel then compared.
func gaveUp(l log) []Event {
	found := l.of("read-back-delay")
	compared := slices.ContainsFunc(l.comparisons, func(c comparison) bool { return c.marked })
	byWatchdog := len(l.marking("clocksource watchdog")) > 0 && !compared
	if !byWatchdog && !slices.ContainsFunc(found, Event.Marks) || len(found) == 0 {
		return nil
	}
	found = slices.Concat(found, l.marking(""), l.of("sync-checked"))
	if l.comparedCPUs() {
		found = append(found, l.doubts()...)
	}
	return found
}

// heldUp returns the lines on what may have stopped a CPU between the two reads of a check: shortly before it an
// interrupt, or a read of the timer, took long.
func (l log) heldUp() []Event {
	const least, near = 100e6, 10e9 // ns
	return those(func(l log, e Event) bool {
		from, _ := e.clockedNS()
		return (e.Kind != "slow-interrupt" || e.DelayNS >= least) &&
			slices.ContainsFunc(l.comparisons, func(c comparison) bool {
				to, _ := c.at.clockedNS()
				return e.Index < c.at.Index && to-from < near
			})
	}, "slow-interrupt", "read-back-delay", "iommu-stalled", "disk-stalled")(l)
}

// comparedCPUs is whether the kernel compared the TSCs of CPUs, and a later line shows that the log does not end before
// the result, which the kernel logs only if they differ.
func (l log) comparedCPUs() bool {
	checked := l.of("sync-checked")
	later := func(e Event) bool { return e.Index > checked[0].Index && !e.Program }
	return len(checked) > 0 && len(checked[0].CPUs) > 1 && slices.ContainsFunc(l.events, later)
}

// readTook returns how long the read of a timer took, by a line.
func (e Event) readTook() string {
	took := words.Either(e.DelayNS > 0, span(e.DelayNS), "too long")
	return took + words.Either(e.LimitNS > 0, fmt.Sprintf(", where %s is the limit", span(e.LimitNS)), "")
}

// doubts returns the lines that speak against the TSC: firmware that wrote to it, another rate, and a comparison by
// which the watchdog marked it.
func (l log) doubts() []Event {
	found := l.of("tsc-adjust-differs", "tsc-adjust-fixed", "tsc-adjust-forced", "tsc-adjust-compensate", "tsc-rate-differs")
	for _, c := range l.comparisons {
		if c.disagrees() {
			found = append(found, c.events...)
		}
	}
	return found
}

var emulated = []string{"hpet", "acpi_pm", "pit", ""} // timers that a hypervisor emulates

const early = 120e9 // how long after boot the rate of the TSC may be a first estimate, in ns

// stopsInPC10 matches the models of CPUs whose HPET stops in the package's deep sleep (arch/x86/kernel/early-quirks.c
// and hpet.c: Coffee Lake, Comet Lake, Ice Lake, their laptops).
var stopsInPC10 = lazily(`(?i)i[3579]-(?:8\d|9\d|10)\d\d\w*`)

// hpetMayStop is whether the watchdog is an HPET that may have stopped in PC10. Linux 5.15 switches it off
// (6e3cd95234dc), and only later kernels say "skewed".
func (l log) hpetMayStop(c comparison) bool {
	const leastStop = 5e6 // ns
	m := l.machine
	return c.watchdog.name == "hpet" && len(l.of("watchdog-skew", "stamps-go-back")) == 0 && !(c.skewNS < leastStop) &&
		c.laptopsHPET() && len(l.heldUp()) == 0 && !m.Guest && (m.Kernel == "" || Older(m.Kernel, 5, 15) && !Older(m.Kernel, 4, 14)) &&
		(m.CPU == "" || stopsInPC10().MatchString(m.CPU))
}

// laptopsHPET is whether the HPET may have the rate of these chips, and stopped if it has.
func (c comparison) laptopsHPET() bool {
	return slices.ContainsFunc([]float64{19.2e6, 24e6}, func(hz float64) bool {
		return c.watchdog.rate.hz == 0 && slices.Contains(c.hpets, hz) || math.Abs(c.watchdog.rate.hz/hz-1) < 0.01
	}) && !(c.watchdog.rate.hz == 0 && slices.ContainsFunc(c.hpets, c.agreesAt))
}
