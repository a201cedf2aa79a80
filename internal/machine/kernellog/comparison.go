package kernellog

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/show/words"
)

// A reading is what the counter of a clock showed in a comparison.
type reading struct {
	name      string
	ns, ticks float64 // what it advanced; negative if it went back; NaN if unknown
	// printed is whether the kernel printed ns; otherwise it is computed from a rate of the log, which need not be the
	// kernel's.
	printed bool
	now     float64 // its last value, in ticks
	mask    uint64
	allOnes bool // whether a value has all bits set, as a failed read of a device returns it
	rate    rate
}

// counted is whether it is known what the counter advanced, in ns or in ticks.
func (r reading) counted() bool { return !math.IsNaN(r.ns) || !math.IsNaN(r.ticks) }

// rough is whether the interval is computed from a rate that is exact to a per cent only.
func (r reading) rough() bool { return r.rate.rough && !r.printed }

// A comparison is what the watchdog saw: two clocks over one interval. Kernels print it in one to five lines.
type comparison struct {
	clock, watchdog reading
	impossibleNS    float64   // the interval of the clock that the kernel printed, if its counter contradicts it
	skewNS          float64   // the interval of the clock less the interval of the watchdog, in ns; NaN if unknown
	hpets           []float64 // the rates that an HPET may have
	// whether the kernel marked the clock unstable, and whether it skipped the check, which ran late
	marked, long bool
	at           Event // the first line
	events       []Event
}

func (c comparison) rough() bool { return c.clock.rough() || c.watchdog.rough() }

// ppm returns the deviation of the clock; NaN if it is unknown to a per cent.
func (c comparison) ppm() float64 {
	return words.Either(c.rough(), math.NaN(), c.skewNS/c.watchdog.ns*1e6)
}

// known is whether both intervals are known, and the watchdog counted.
func (c comparison) known() bool { return !math.IsNaN(c.clock.ns) && c.watchdog.ns > 0 }

// dueNS is how often the watchdog checks, in ns (WATCHDOG_INTERVAL), and longNS an interval that is too long for a
// check on time.
const dueNS, longNS = 0.5e9, 1.2e9

// lateNS returns how late a check was at least, in ns; 0 if it was on time, or unknown.
func (c comparison) lateNS() float64 {
	interval := -c.skewNS // the watchdog counted at least what the clock lacks
	if least, _ := c.limits(); !math.IsNaN(least) {
		interval = least
	}
	return words.Either(interval > longNS, interval-dueNS, 0)
}

// begins are the kinds of the first line of a comparison.
var begins = []string{"watchdog-verdict", "watchdog-delta", "frequency-skew", "long-readout"}

// continuing are the kinds of its other lines. It may begin with one if the log lacks the first.
var continuing = []string{"watchdog-interval", "clock-interval", "watchdog-skew"}

func comparisons(events []Event, m Machine, rates map[string]rate) []comparison {
	var all []comparison
	for _, e := range events {
		if !slices.Contains(begins, e.Kind) && !slices.Contains(continuing, e.Kind) {
			continue
		}
		last := len(all) - 1
		if last < 0 || slices.Contains(begins, e.Kind) || !all[last].takes(e) {
			unread := reading{ns: math.NaN(), ticks: math.NaN()}
			all = append(all, comparison{clock: unread, watchdog: unread, skewNS: math.NaN(), hpets: m.hpets(), at: e})
			last++
		}
		all[last].take(e, rates[e.Clock])
	}
	for i := range all {
		all[i].complete()
	}
	// From 6.3 on the TSC can be the watchdog of the others (tsc=watchdog).
	tscs := []string{"", "tsc", "tsc-early"}
	return slices.DeleteFunc(all, func(c comparison) bool { return !slices.Contains(tscs, c.clock.name) })
}

func (c comparison) takes(e Event) bool {
	switch e.Kind {
	case "watchdog-interval":
		return math.IsNaN(c.watchdog.ns) && c.watchdog.mask == 0
	case "clock-interval":
		return math.IsNaN(c.clock.ns) && math.IsNaN(c.clock.ticks)
	default:
		return math.IsNaN(c.skewNS)
	}
}

func (c *comparison) take(e Event, r rate) {
	c.events = append(c.events, e)
	if e.Kind == "watchdog-interval" {
		c.watchdog = e.reading(r)
		return
	}
	c.marked, c.long = c.marked || e.Kind != "long-readout", e.Kind == "long-readout"
	if e.Kind == "clock-interval" {
		c.clock = e.reading(r)
		return
	}
	c.clock.name, c.watchdog.name = e.Clock, cmp.Or(e.Watchdog, c.watchdog.name)
	if e.Measured && c.long {
		c.clock.ns, c.clock.printed = e.IntervalNS, true
	} else if e.Measured {
		c.skewNS = e.SkewNS
	}
	if math.IsNaN(c.watchdog.ns) && e.WatchdogNS > 0 {
		c.watchdog.ns, c.watchdog.printed = e.WatchdogNS, true
	}
}

// reading returns what a line shows of a counter with a rate. From 5.13 on the kernel prints the interval in ns. Its
// product of cycles and multiplier overflows on long intervals, and it prints 0 for a counter that went back: a narrow
// one, for what is more than half its round.
func (e Event) reading(r rate) reading {
	of := reading{name: e.Clock, ns: math.NaN(), ticks: math.NaN(), now: float64(e.Now), mask: e.Mask, rate: r}
	of.allOnes = e.Mask > 0 && (e.Now == e.Mask || e.Last == e.Mask)
	if e.Mask > 0 {
		of.ticks = cycles(e)
		if r.hz > 0 {
			of.ns = of.ticks / r.hz * 1e9
		}
	}
	clamped := e.Kind == "watchdog-interval" && e.IntervalNS == 0 && of.ticks > 0
	overflown := e.Kind == "clock-interval" && !math.IsNaN(of.ns) && !possible(of.ticks, e.IntervalNS)
	if !e.Measured || clamped || math.Abs(of.ns) > overflowNS || of.ns < 0 || overflown {
		return of
	}
	of.ns, of.printed = e.IntervalNS, true
	if of.ticks > 0 {
		of.rate = rate{hz: of.ticks / of.ns * 1e9, by: "by the kernel's figures"}
	}
	return of
}

// fits are the rates of the HPET with which the rate of the TSC is possible.
func (c comparison) fits() []float64 {
	return slices.DeleteFunc(slices.Clone(c.hpets), func(hz float64) bool {
		tsc := c.clock.ticks / c.watchdog.ticks * hz
		return tsc < slowestWithHPET || tsc > fastestHz
	})
}

// agrees are the rates of the HPET with which both clocks counted the same, apart from whole rounds of the HPET.
func (c comparison) agrees() []float64 {
	const tolerance = 1e-4
	return slices.DeleteFunc(slices.Clone(c.hpets), func(hz float64) bool {
		more := c.clock.ns - c.watchdog.ticks/hz*1e9
		return !(more > -tolerance*c.clock.ns && math.Abs(math.Remainder(more, 1<<32/hz*1e9)) < tolerance*c.clock.ns)
	})
}

// complete computes a missing interval, or the missing difference of both.
func (c *comparison) complete() {
	if c.watchdog.name == "hpet" && c.watchdog.rate.hz == 0 && c.watchdog.ticks > 0 && c.clock.ticks > 0 {
		found, by := c.fits(), "the only usual rate that fits, a guess"
		if c.clock.printed {
			found, by = c.agrees(), "the rate that explains both figures"
		}
		if len(found) == 1 {
			if ns := c.watchdog.ticks / found[0] * 1e9; c.clock.printed || math.Abs(ns/dueNS-1) < 0.5 {
				c.watchdog.rate, c.watchdog.ns = rate{hz: found[0], by: by}, ns
			}
		}
	}
	switch {
	case c.known():
		c.skewNS = c.clock.ns - c.watchdog.ns
	case !math.IsNaN(c.skewNS) && !math.IsNaN(c.watchdog.ns):
		c.clock.ns, c.clock.printed = c.watchdog.ns+c.skewNS, c.watchdog.printed
	case !math.IsNaN(c.skewNS) && !math.IsNaN(c.clock.ns):
		c.watchdog.ns = c.clock.ns - c.skewNS
	}
	if c.clock.printed && !possible(c.clock.ticks, c.clock.ns) { // the kernel's product of cycles and multiplier overflowed
		c.impossibleNS, c.clock.ns, c.skewNS, c.clock.printed = c.clock.ns, math.NaN(), math.NaN(), false
	}
	if c.watchdog.rate.hz == 0 {
		c.watchdog.rate = knownRates[c.watchdog.name]
	}
}

// limits return the interval of the watchdog at least and at most, in ns; NaN if unknown.
func (c comparison) limits() (least, most float64) {
	if math.IsNaN(c.watchdog.ns) && c.watchdog.name == "hpet" {
		return c.watchdog.ticks / slices.Max(c.hpets) * 1e9, c.watchdog.ticks / slices.Min(c.hpets) * 1e9
	}
	return c.watchdog.ns, c.watchdog.ns
}

// overflowOfOldNS is the difference in ns at which the product of a negative one overflows in Linux 2.6: its TSC has a
// multiplier of 2^22.
const overflowOfOldNS = 1 << 42

// oldLimitNS is the difference from which the watchdog marked a clock before Linux 5.13, in ns (WATCHDOG_THRESHOLD).
// These kernels print no intervals in ns.
const oldLimitNS = 62.5e6

// contradicts is whether the computed intervals are too close for the kernel to have marked the clock.
func (c comparison) contradicts() bool {
	return c.marked && !c.clock.printed && !math.IsNaN(c.clock.ticks) && math.Abs(c.skewNS) < oldLimitNS
}

// A round is how long a narrow counter counts before it begins at zero again.
type round struct {
	watchdog string
	ns       float64
}

// rounds returns the possible rounds of the watchdog; of all narrow counters if it is unknown.
func (c comparison) rounds() []round {
	var all []round
	if c.watchdog.rate.hz == 0 && (c.watchdog.name == "hpet" || c.watchdog.name == "") && c.watchdog.mask < 1<<32 {
		for _, hz := range c.hpets {
			all = append(all, round{"hpet", 1 << 32 / hz * 1e9})
		}
	}
	mask := words.Either(c.watchdog.mask == 0 && c.watchdog.name != "hpet", 1<<24-1, c.watchdog.mask)
	if r := cmp.Or(c.watchdog.rate, knownRates[cmp.Or(c.watchdog.name, "acpi_pm")]); r.hz > 0 && mask > 0 && mask < 1<<32 {
		all = append(all, round{cmp.Or(c.watchdog.name, "acpi_pm"), (float64(mask) + 1) / r.hz * 1e9})
	}
	return all
}

// wrapped returns the round of the watchdog and the number of rounds in the difference; false if it is no multiple.
func (c comparison) wrapped() (round, int, bool) {
	if math.IsNaN(c.skewNS) || c.skewNS <= 0 || c.rough() || slices.Contains(weakWatchdogs, c.watchdog.name) {
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

var weakWatchdogs = []string{"jiffies", "refined-jiffies"} // they count interrupts

func (c comparison) back() bool {
	if c.clock.ticks < 0 || c.clock.ns < 0 {
		return true
	}
	// The kernel reports a counter that went back as if it stood still (clocksource_delta).
	return c.known() && c.watchdog.ns > 0 && c.clock.ns <= c.watchdog.ns*1e-6
}

// restarted is whether the TSC is too small for the time since the boot, with the rate of any CPU.
func (c comparison) restarted() bool {
	const up = 600e9 // ns
	return c.at.Timed && float64(c.at.AtNS) > up && c.clock.now > 0 && c.clock.now/float64(c.at.AtNS)*1e9 < slowestHz
}

func (c comparison) called() string {
	return words.Either(c.clock.name == "tsc-early", "the TSC (tsc-early)", "the TSC")
}

func (c comparison) against() string { return cmp.Or(c.watchdog.name, "the watchdog") }

// both returns a clause with both intervals: "While hpet advanced 495.1 ms, the TSC advanced 496 ms".
func (c comparison) both() string {
	switch {
	case c.watchdog.counted() && c.clock.counted():
		watchdog, by := c.watchdog.advanced("ticks")
		clock, clockBy := c.clock.advanced("cycles")
		if c.watchdog.printed && c.clock.printed {
			by, clockBy = "", "the kernel's figures"
		}
		if c.impossibleNS > 0 {
			clockBy += fmt.Sprintf("; the kernel's figure of %s is impossible", span(c.impossibleNS))
		}
		if readings := c.readings(); math.IsNaN(c.clock.ns) {
			clockBy += readings
		} else {
			by += readings
		}
		text := fmt.Sprintf("While %s %s (%s), %s %s (%s)", c.against(), watchdog, by, c.called(), clock, clockBy)
		return strings.ReplaceAll(text, " ()", "")
	case !math.IsNaN(c.skewNS):
		return fmt.Sprintf("In one check of the watchdog, %s advanced %s than %s (the kernel's "+
			"figure)", c.called(), moreOrLess(c.skewNS), c.against())
	}
	return ""
}

// advanced returns what a counter advanced, and the source of the figure: "advanced 2.154 s", "counted 6463557560
// cycles".
func (r reading) advanced(unit string) (text, by string) {
	counted := words.Number(math.Abs(r.ticks)) + " " + unit
	switch {
	case math.IsNaN(r.ns):
		return "counted " + counted, "the log does not have its rate"
	case r.printed:
		by = "the kernel's figure"
	case !math.IsNaN(r.ticks):
		by = fmt.Sprintf("%s at %s", counted, r.rate)
	}
	return "advanced " + span(r.ns), by
}

// agreesAt returns whether both clocks counted the same with a rate of the HPET, to a per cent.
func (c comparison) agreesAt(hz float64) bool {
	return math.Abs(c.clock.ns/(c.watchdog.ticks/hz*1e9)-1) < 0.01
}

// readings returns what the counters mean if a rate is unknown: the rate of the TSC, or the interval for each rate that
// the HPET may have.
func (c comparison) readings() string {
	var all []string
	switch {
	case !(c.clock.ticks > 0 && c.watchdog.ticks > 0):
		return ""
	case c.watchdog.ns > 0 && math.IsNaN(c.clock.ns):
		all = append(all, fmt.Sprintf("%s, if %s is right", inHz(c.clock.ticks/c.watchdog.ns*1e9), c.against()))
	case math.IsNaN(c.watchdog.ns) && c.watchdog.name == "hpet" && math.IsNaN(c.clock.ns):
		for _, hz := range c.fits() {
			all = append(all, fmt.Sprintf("%s, if hpet has %s", inHz(c.clock.ticks/c.watchdog.ticks*hz), inHz(hz)))
		}
	case math.IsNaN(c.watchdog.ns) && c.watchdog.name == "hpet":
		for _, hz := range c.hpets {
			text, ns := "%s at %s", c.watchdog.ticks/hz*1e9
			if c.agreesAt(hz) {
				text += ", which makes the clocks agree"
			}
			all = append(all, fmt.Sprintf(text, span(ns), inHz(hz)))
		}
	}
	if len(all) == 0 {
		return ""
	}
	return ": " + strings.Join(all, "; ")
}

// readFailed is whether a read of the timer of the watchdog failed.
func (c comparison) readFailed() bool {
	return c.marked && c.watchdog.allOnes && slices.Contains([]string{"hpet", "acpi_pm"}, c.watchdog.name)
}

// clockWasOnTime is whether what the clock counted alone fits a check on time, at the rate of any TSC if it is unknown.
func (c comparison) clockWasOnTime() bool {
	if math.IsNaN(c.clock.ns) {
		return possible(c.clock.ticks, dueNS) && c.clock.ticks > 0
	}
	return math.Abs(c.clock.ns-dueNS) < dueNS/5
}

const shortNS = 1e6 // an interval that is too short for a rate, in ns

// off returns the deviation of the clock from the watchdog: ": +62 %"; "" if one is unknown.
func (c comparison) off() string {
	switch {
	case !c.known():
		return ""
	case c.watchdog.ns < shortNS:
		return ": too short a time for a rate"
	case c.rough() && math.Abs(c.skewNS) < c.watchdog.ns/100:
		return ", which agrees to a per cent"
	case c.rough():
		return fmt.Sprintf(": about %+.0f %%", c.skewNS/c.watchdog.ns*100)
	case c.contradicts():
		return ": " + deviation(c.ppm()) + ", by the rates in the log; the kernel saw " +
			"more than " + span(oldLimitNS) + ", so it used another rate"
	}
	return ": " + deviation(c.ppm())
}

// misread returns the bit that the watchdog acpi_pm read wrong, and the difference in its ticks; false if the
// difference is no power of two. Clocks differ by up to 50 µs in a check, and a bit that matters takes 62.5 ms.
func (c comparison) misread() (bit int, ticks float64, ok bool) {
	if math.IsNaN(c.skewNS) || c.watchdog.name != "acpi_pm" && c.watchdog.name != "" {
		return 0, 0, false
	}
	ticks = math.Abs(c.skewNS) * knownRates["acpi_pm"].hz / 1e9
	bit = int(math.Round(math.Log2(ticks)))
	return bit, math.Round(ticks), bit >= 17 && bit < 24 && math.Abs(ticks-math.Ldexp(1, bit)) < 50
}
