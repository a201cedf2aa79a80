package kernellog

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/show/words"
)

// presumedRules find why the kernel does not use the TSC although it has not seen it fail.
var presumedRules = []rule{
	{kind: "adjusted-beyond-limit", lines: logged("adjusting-clock"), say: steered},
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
		name := words.Either(c.Evidence[0].Kind == erratum, c.Evidence[0].Name, "an erratum of the counter")
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
	xen, marked := l.of("xen-guest"), l.marking("tscs unsynchronized")
	if len(marked) == 0 || len(xen) == 0 && l.machine.Hypervisor != "xen" && l.machine.ClockSource != "xen" {
		return nil
	}
	return append(xen, marked...)
}

var harmlessErrata = []string{"1418040", "1188873"} // errata of Arm's counter that concern 32-bit programs only (arch/arm64/Kconfig)

func trapped(l log) []Event {
	return those(func(_ log, e Event) bool {
		return !slices.ContainsFunc(harmlessErrata, func(h string) bool { return strings.Contains(e.Name, h) })
	}, erratum, "counter-trapped")(l)
}

// alsoRules find causes beside the reason.
var alsoRules = []rule{
	{kind: "tsc-adjust", inferred: true, lines: logged(adjustDiffers, adjustForced, adjustWarp), say: tscAdjust},
	{kind: "override-refused", title: "the kernel refused the clock source {clock}", concerns: ofItsClock, inferred: true, lines: logged(refused),
		text: "Somebody asked for the clock source {clock}, and the kernel refused it."},
	{kind: "no-rate", title: "the clock source {clock} has no rate", concerns: ofItsClock, inferred: true, lines: those(func(_ log, e Event) bool { return !(e.Hz > 0) }, registered, "hpet-rate", armRate),
		text: "The kernel has 0 Hz for the clock source {clock}. Nothing counts at that rate: the firmware, the hypervisor or the emulator names none, or the calibration went wrong."},
	{kind: "watchdog-reported", harmless: true, concerns: ofItsClock,
		text: "In one check {clock} advanced {skew} than its watchdog (the kernel's figure): one of the two was late or wrong. " +
			"The kernel of RHEL 6 only reports that. It marks nothing without the parameter clocksource_failover."},
	{kind: "stamps-go-back", title: "the clocks of the CPUs differ", inferred: true, tsc: TSCWrong, lines: those(func(l log, _ Event) bool {
		return !l.machine.Guest && slices.ContainsFunc(l.events, Event.Marks) // the kernel doubts the TSC too
	}, "stamps-go-back"), text: "The stamp of a line in the log is {skew} than the stamp of the line above it: the clock of the CPU that wrote it was behind, as where the TSCs of the CPUs differ."},
	{kind: "host-unstable", title: "this host of virtual machines does not trust its TSC", concerns: OfGuests, inferred: true,
		text: "This machine runs virtual machines of KVM and does not trust its own TSC, so its guests cannot either."},
	{kind: "deadline-erratum", harmless: true,
		text: "The deadline mode of the CPU's timer has an erratum, so the kernel uses another mode; new microcode mends it. The TSC as a clock is not concerned."},
	{kind: "p0-frequency", harmless: true,
		text: "A bit of this AMD CPU is not set (HWCR bit 24); hypervisors do not set it. The kernel measures the rate of the TSC anyway."},
	{kind: "pm-timer-off", harmless: true, concerns: OfOtherSource, text: "The firmware switched the ACPI PM timer off. The kernel does without it."},
	{kind: string(selfTest), harmless: true,
		text: "The kernel tested its watchdog, with late and wrong reads on purpose (clocksource_wdtest, inject_delay_freq). What it says of that is no fault."},
	{kind: "no-vdso-clocks", harmless: true, concerns: OfCounter, lines: those(func(l log, e Event) bool { return e.Name == "phys" && l.machine.Arch == "arm" }, armRate),
		text: "The kernel reads the physical counter (phys). A guess: on 32-bit Arm that means that the firmware has not set up the virtual counter, and then the vDSO has no clocks: every read of the time enters the kernel."},
	{kind: "only-ticks", harmless: true, concerns: OfOtherSource, lines: those(func(l log, e Event) bool {
		return e.Clock == l.machine.ClockSource && slices.Contains(weakWatchdogs, e.Clock)
	}, switched), text: "The last clock source in this log counts timer interrupts. If the kernel kept it, as on simulators without a counter, time steps by one interrupt, 1 to 10 ms."},
	{kind: "lost-rtc-interrupts", harmless: true,
		text: "The machine was too busy to deliver interrupts of the RTC, which the HPET emulates ({times} lines). That says nothing about the clock that programs read."},
	{kind: "watchdog-timed-out", harmless: true, lines: watchdogTimedOut,
		text: "The watchdog could not check the TSC: its timer was too slow to read, as in a busy or a nested virtual machine. The kernel tries again, and nothing was switched."},
	{kind: "32-bit-erratum", harmless: true, lines: those(func(l log, _ Event) bool { return len(trapped(l)) == 0 }, erratum),
		text: "The CPU has {name}, which concerns 32-bit programs only. 64-bit programs read the counter in user mode."},
}

// tscAdjust: the kernel found and fixed TSC_ADJUST. If the CPUs still differ, another rule reports it.
func tscAdjust(c *Cause, l log, _ comparison) {
	if len(l.of(tscWarp, interCPUSkew, cpusAhead, cpusBehind)) > 0 {
		return
	}
	who := words.Either(l.machine.Guest, "hypervisor", "firmware")
	c.Title = "the " + who + " wrote to the TSC"
	c.Text = fmt.Sprintf("The %s wrote to the TSC (TSC ADJUST, %s), and the kernel corrected it. Between a write and the correction the TSCs of the CPUs differ.", who, cpuNames(c.Evidence))
	if p := l.parameter("tsc=reliable"); p != "" {
		c.Text += " The parameter " + p + " switches the kernel's later checks off, so it would not notice."
	}
}

// watchdogTimedOut: the check was skipped. If the kernel also marked the TSC, another rule reports it.
func watchdogTimedOut(l log) []Event {
	found := l.of("read-timed-out", readBackDelay)
	if len(l.marking("")) > 0 || slices.ContainsFunc(found, Event.Marks) {
		return nil
	}
	return found[:min(len(found), 1)]
}
