package kernellog

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// presumedRules find why the kernel does not use the TSC although it has not seen it fail.
var presumedRules = []rule{
	{kind: "adjusted-beyond-limit", lines: logged(adjusting), say: steered},
	{kind: "hyperv-by-design", harmless: true, lines: markedFor("running on hyper-v"),
		text: "The kernel uses Hyper-V's own clock, as intended: Hyper-V does not give this machine an invariant TSC, or the kernel is an old one, which marks the TSC of every guest of Hyper-V. The mark is no fault."},
	{kind: "xen-by-design", harmless: true, lines: xenByDesign,
		text: "This is a Xen guest, whose intended clock source is xen. The mark on the TSC is presumed from the CPU's flags, not measured, and no fault."},
	{kind: "presumed-unsynchronized", title: "the kernel presumes that the TSCs are unsynchronised", inferred: true, lines: markedFor("tscs unsynchronized"),
		text: "The kernel assumes that the TSCs of the CPUs are unsynchronised, but has not measured it. It does so for CPUs without constant_tsc, and for some machines with many sockets."},
	{kind: "marked-unstable", title: "the kernel marked the TSC unstable", inferred: true, lines: logged(tscUnstable), say: func(c *Cause, l log, _ comparison) {
		c.Text = "The kernel marked the TSC unstable until the next boot. The reason is not in this part of its log."
		if marked := l.marking(""); len(marked) > 0 {
			c.Text = fmt.Sprintf("The kernel marked the TSC unstable until the next boot, due to %q.", marked[0].Reason)
		}
	}},
	{kind: "counter-trapped", title: "the kernel keeps user mode from reading the counter of the CPU", concerns: OfCounter, inferred: true, lines: trapped, say: func(c *Cause, _ log, _ comparison) {
		name := "an erratum of the counter"
		if c.Evidence[0].Kind == erratum {
			name = c.Evidence[0].Name
		}
		c.Text = fmt.Sprintf("The CPU has %s: a read of its counter can be wrong. The kernel therefore reads it on behalf of user mode, on every CPU, and every read of the time enters the kernel.", name)
	}},
}

// steered: the kernel itself corrects its clock, by a multiplier that adjtimex cannot set: it changes the tick by 10 %
// at most. The limit in the line is the nominal multiplier and 11 % (timekeeping_apply_adjustment).
func steered(c *Cause, _ log, _ comparison) {
	e, by := c.Evidence[0], ""
	if e.Now > 0 && e.Last > 0 {
		by = fmt.Sprintf(" by %+.1f %% (multiplier %d, nominal %d, from the line's limit of 11 %%)", (float64(e.Now)*1.11/float64(e.Last)-1)*100, e.Now, int64(math.Round(float64(e.Last)/1.11)))
	}
	c.Title, c.Concerns = "the kernel corrects the rate of "+e.Clock+" by more than 11 %", subjectOf(e.Clock)
	c.Text = fmt.Sprintf("The kernel steers %s%s. No time service can ask for that: adjtimex changes the rate by 10 %% at most. The kernel does so for a moment, to make up for time in which its ticks came late, as while it was paused or printed much. A guess: the clock source is right, and the kernel over-corrects, as before Linux 4.17; if the line comes again, the rate of the clock source is wrong.", e.Clock, by)
}

func xenByDesign(l log) []Event {
	xen, marked := l.of(xenGuest), l.marking("tscs unsynchronized")
	if len(marked) == 0 || len(xen) == 0 && l.machine.Hypervisor != "xen" && l.machine.ClockSource != "xen" {
		return nil
	}
	return append(xen, marked...)
}

// harmlessErrata are errata of Arm's counter that concern 32-bit programs only (arch/arm64/Kconfig).
var harmlessErrata = []string{"1418040", "1188873"}

func trapped(l log) []Event {
	return append(slices.DeleteFunc(l.of(erratum), func(e Event) bool {
		return slices.ContainsFunc(harmlessErrata, func(h string) bool { return strings.Contains(e.Name, h) })
	}), l.of(counterTrapped)...)
}
