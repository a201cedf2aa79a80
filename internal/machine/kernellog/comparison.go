package kernellog

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/show/words"
)

// A comparison is what the watchdog saw: two clocks over one interval. Kernels print it in one to five lines.
type comparison struct {
	clock, watchdog string
	// clockNS and watchdogNS are the intervals, in ns; NaN if unknown. clockNS is negative if the counter went back.
	clockNS, watchdogNS float64
	// impossibleNS is the interval of the clock that the kernel printed, if its counter contradicts it.
	impossibleNS float64
	// skewNS is the interval of the clock less the interval of the watchdog, in ns; NaN if unknown.
	skewNS float64
	// clockCycles is what the clock's counter advanced; negative if it went back; NaN if unknown.
	clockCycles float64
	// now is the last value of the clock's counter, in cycles.
	now float64
	// watchdogHz is the rate of the watchdog's counter, and watchdogMask its mask; zero if unknown.
	watchdogHz   float64
	watchdogMask uint64
	// printed is whether the kernel printed the interval of the clock in ns; otherwise it is computed from a rate of
	// the log, which need not be the kernel's.
	printed bool
	// assumed is whether the interval of the watchdog is computed from the usual rate of an HPET.
	assumed bool
	// marked is whether the kernel marked the clock unstable.
	marked bool
	// long is whether the kernel skipped the check because it ran late.
	long   bool
	at     Event // the first line
	events []Event
}

func (c comparison) ppm() float64 { return c.skewNS / c.watchdogNS * 1e6 }

// known is whether both intervals are known, and the watchdog counted.
func (c comparison) known() bool { return !math.IsNaN(c.clockNS) && c.watchdogNS > 0 }

// dueNS is how often the watchdog checks, in ns (WATCHDOG_INTERVAL), and longNS an interval that is too long for a
// check on time.
const dueNS, longNS = 0.5e9, 1.2e9

// lateNS returns how late a check was at least, in ns; 0 if it was on time, or unknown.
func (c comparison) lateNS() float64 {
	interval := -c.skewNS // the watchdog counted at least what the clock lacks
	if !math.IsNaN(c.watchdogNS) {
		interval = c.watchdogNS
	}
	if interval > longNS {
		return interval - dueNS
	}
	return 0
}

// begins are the kinds of the first line of a comparison.
var begins = []Kind{watchdogVerdict, watchdogDelta, frequencySkew, longReadout}

func comparisons(events []Event) []comparison {
	var all []comparison
	for _, e := range events {
		if strings.HasPrefix(e.Clock, "wdtest") { // the kernel's test of the watchdog itself
			continue
		}
		switch e.Kind {
		case watchdogVerdict, watchdogDelta, frequencySkew, longReadout, watchdogInterval, clockInterval, watchdogSkew:
		default:
			continue
		}
		last := len(all) - 1
		if last < 0 || slices.Contains(begins, e.Kind) || !all[last].takes(e) {
			all = append(all, comparison{clockNS: math.NaN(), watchdogNS: math.NaN(), skewNS: math.NaN(), clockCycles: math.NaN(), at: e})
			last++
		}
		all[last].take(e)
	}
	for i := range all {
		all[i].complete()
	}
	// From 6.3 on the TSC can be the watchdog of the others (tsc=watchdog).
	return slices.DeleteFunc(all, func(c comparison) bool { return !slices.Contains([]string{"", "tsc", "tsc-early"}, c.clock) })
}

func (c comparison) takes(e Event) bool {
	switch e.Kind {
	case watchdogInterval:
		return math.IsNaN(c.watchdogNS) && c.watchdogMask == 0
	case clockInterval:
		return math.IsNaN(c.clockNS) && math.IsNaN(c.clockCycles)
	default:
		return math.IsNaN(c.skewNS)
	}
}

func (c *comparison) take(e Event) {
	c.events = append(c.events, e)
	switch e.Kind {
	case watchdogVerdict, frequencySkew:
		c.clock, c.marked = e.Clock, true
	case watchdogDelta:
		c.clock, c.marked = e.Clock, true
		if e.Measured {
			c.skewNS = e.SkewNS
		}
	case longReadout:
		c.clock, c.long = e.Clock, true
		if e.Measured && e.WatchdogNS > 0 {
			c.clockNS, c.watchdogNS = e.IntervalNS, e.WatchdogNS
		}
	case watchdogSkew:
		c.clock, c.watchdog, c.marked = e.Clock, e.Watchdog, true
		if e.Measured {
			c.skewNS = e.SkewNS
		}
		if math.IsNaN(c.watchdogNS) && e.WatchdogNS > 0 {
			c.watchdogNS = e.WatchdogNS
		}
	case watchdogInterval:
		c.watchdog, c.watchdogHz, c.watchdogMask, c.assumed = e.Clock, e.Hz, e.Mask, e.assumed
		if e.Measured {
			c.watchdogNS = e.IntervalNS
		}
	case clockInterval:
		c.clock, c.marked, c.printed = e.Clock, true, e.printed
		if e.Measured {
			c.clockNS = e.IntervalNS
		}
		if e.HasCounter && e.Mask > 0 {
			c.clockCycles, c.now = cycles(e), float64(e.Now)
		}
	}
}

// complete computes a missing interval, or the missing difference of both.
func (c *comparison) complete() {
	switch {
	case c.known():
		c.skewNS = c.clockNS - c.watchdogNS
	case !math.IsNaN(c.skewNS) && !math.IsNaN(c.watchdogNS):
		c.clockNS = c.watchdogNS + c.skewNS
	case !math.IsNaN(c.skewNS) && !math.IsNaN(c.clockNS):
		c.watchdogNS = c.clockNS - c.skewNS
	}
	if !possible(c.clockCycles, c.clockNS) { // the kernel's product of cycles and multiplier overflowed
		c.impossibleNS, c.clockNS, c.skewNS = c.clockNS, math.NaN(), math.NaN()
	}
	if hz := knownRates[c.watchdog]; c.watchdogHz == 0 && hz > 0 {
		c.watchdogHz = hz
	}
}

// oldLimitNS is the difference from which the watchdog marked a clock before Linux 5.13, in ns (WATCHDOG_THRESHOLD).
// These kernels print no intervals in ns.
const oldLimitNS = 62.5e6

// contradicts is whether the computed intervals are too close for the kernel to have marked the clock.
func (c comparison) contradicts() bool {
	return c.marked && !c.printed && !math.IsNaN(c.clockCycles) && math.Abs(c.skewNS) < oldLimitNS
}

func (c comparison) contradiction() string {
	if !c.contradicts() {
		return ""
	}
	return ", by the rates in the log; the kernel saw more than " + span(oldLimitNS) + ", so it used another rate"
}

// A round is how long a narrow counter counts before it begins at zero again.
type round struct {
	watchdog string
	ns       float64
}

// rounds returns the rounds of the watchdog; of all narrow counters if it is unknown.
func (c comparison) rounds() []round {
	if c.watchdog == "" {
		return []round{{"hpet", 1 << 32 / float64(usualHPET) * 1e9}, {"acpi_pm", 1 << 24 / 3579545. * 1e9}}
	}
	mask := c.watchdogMask
	if mask == 0 && c.watchdog == "acpi_pm" {
		mask = 1<<24 - 1
	}
	hz := c.watchdogHz
	if hz == 0 && c.watchdog == "hpet" {
		hz = usualHPET
		mask = max(mask, 1<<32-1)
	}
	if mask == 0 || mask > 1<<32-1 || hz == 0 {
		return nil
	}
	return []round{{c.watchdog, (float64(mask) + 1) / hz * 1e9}}
}

// wrapped returns the round of the watchdog and the number of rounds in the difference; false if it is no multiple.
func (c comparison) wrapped() (round, int, bool) {
	if math.IsNaN(c.skewNS) || c.skewNS <= 0 || slices.Contains(weakWatchdogs, c.watchdog) {
		return round{}, 0, false
	}
	for _, r := range c.rounds() {
		n := math.Round(c.skewNS / r.ns)
		// Clocks differ by up to 500 ppm, and a check takes a while.
		tolerance := 500e-6*c.skewNS + 2e6
		if n >= 1 && tolerance < r.ns/20 && math.Abs(c.skewNS-n*r.ns) <= tolerance {
			return r, int(n), true
		}
	}
	return round{}, 0, false
}

// weakWatchdogs count interrupts.
var weakWatchdogs = []string{"jiffies", "refined-jiffies"}

func (c comparison) back() bool {
	if c.clockCycles < 0 || c.clockNS < 0 {
		return true
	}
	// The kernel reports a counter that went back as if it stood still (clocksource_delta).
	return c.known() && c.watchdogNS > 0 && c.clockNS <= c.watchdogNS*1e-6
}

// restarted is whether the TSC is too small for the time since the boot, with the rate of any CPU.
func (c comparison) restarted() bool {
	const up = 600e9 // ns
	return c.at.Timed && float64(c.at.AtNS) > up && c.now > 0 && c.now/float64(c.at.AtNS)*1e9 < slowestHz
}

// likelyHz is the rate of the TSC in a sentence that says "at 3 GHz", if the log lacks it.
const likelyHz = 3e9

// advanced returns what the clock of a comparison counted: "2.154 s", or "6463557560 cycles (2.154 s at 3 GHz)".
func (c comparison) advanced() string {
	if !math.IsNaN(c.clockNS) {
		return span(c.clockNS)
	}
	unknown := "the log does not have its rate"
	if c.impossibleNS > 0 {
		unknown += ", and the kernel's figure of " + span(c.impossibleNS) + " is impossible"
	}
	return fmt.Sprintf("%s cycles (about %s at 3 GHz; %s)", words.Number(math.Abs(c.clockCycles)), span(c.clockCycles/likelyHz*1e9), unknown)
}

func (c comparison) called() string {
	if c.clock == "tsc-early" {
		return "the TSC (tsc-early)"
	}
	return "the TSC"
}

func (c comparison) against() string { return cmp.Or(c.watchdog, "the watchdog") }

// both returns a clause with both intervals: "While hpet advanced 495.1 ms, the TSC advanced 496 ms".
func (c comparison) both() string {
	switch {
	case !math.IsNaN(c.watchdogNS) && (!math.IsNaN(c.clockNS) || !math.IsNaN(c.clockCycles)):
		assumed := ""
		if c.assumed {
			assumed = " (at the usual 14.318 MHz)"
		}
		return fmt.Sprintf("While %s advanced %s%s, %s advanced %s", c.against(), span(c.watchdogNS), assumed, c.called(), c.advanced())
	case !math.IsNaN(c.skewNS):
		relation := "more"
		if c.skewNS < 0 {
			relation = "less"
		}
		return fmt.Sprintf("In one check of the watchdog, %s advanced %s %s than %s", c.called(), span(c.skewNS), relation, c.against())
	}
	return ""
}
