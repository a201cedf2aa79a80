package kernellog

import (
	"cmp"
	"fmt"
	"slices"
)

// alsoRules find causes beside the reason.
var alsoRules = []rule{
	{kind: "tsc-adjust", inferred: true, lines: logged(adjustDiffers, adjustForced, adjustWarp), say: tscAdjust},
	{kind: "override-refused", title: "the kernel refused the clock source {clock}", concerns: ofItsClock, inferred: true, lines: logged(refused),
		text: "Somebody asked for the clock source {clock}, and the kernel refused it."},
	{kind: "no-rate", title: "the clock source {clock} has no rate", concerns: ofItsClock, inferred: true, lines: func(l log) []Event {
		return slices.DeleteFunc(l.of(registered, hpetRate, armRate), func(e Event) bool { return e.Hz > 0 })
	}, text: "The kernel has 0 Hz for the clock source {clock}. Nothing counts at that rate: the firmware, the hypervisor or the emulator names none, or the calibration went wrong."},
	{kind: string(watchdogReport), harmless: true, concerns: ofItsClock, lines: logged(watchdogReport),
		text: "In one check {clock} advanced {skew} than its watchdog (the kernel's figure): one of the two was late or wrong. " +
			"The kernel of RHEL 6 only reports that. It marks nothing without the parameter clocksource_failover."},
	{kind: string(stampBack), title: "the clocks of the CPUs differ", inferred: true, tsc: TSCWrong, lines: logged(stampBack), say: stampsGoBack},
	{kind: "host-unstable", title: "this host of virtual machines does not trust its TSC", concerns: OfGuests, inferred: true,
		text: "This machine runs virtual machines of KVM and does not trust its own TSC, so its guests cannot either."},
	{kind: "p0-frequency", harmless: true,
		text: "A bit of this AMD CPU is not set (HWCR bit 24); hypervisors do not set it. The kernel measures the rate of the TSC anyway."},
	{kind: "pm-timer-off", harmless: true, concerns: OfOtherSource, text: "The firmware switched the ACPI PM timer off. The kernel does without it."},
	{kind: string(selfTest), harmless: true, lines: logged(selfTest),
		text: "The kernel tested its watchdog, with late and wrong reads on purpose (clocksource_wdtest, inject_delay_freq). What it says of that is no fault."},
	{kind: "no-vdso-clocks", harmless: true, concerns: OfCounter, lines: func(l log) []Event {
		return slices.DeleteFunc(l.of(armRate), func(e Event) bool { return e.Name != "phys" || l.machine.Arch != "arm" })
	}, text: "The kernel reads the physical counter (phys). A guess: on 32-bit Arm that means that the firmware has not set up the virtual counter, and then the vDSO has no clocks: every read of the time enters the kernel."},
	{kind: "only-ticks", harmless: true, concerns: OfOtherSource, lines: func(l log) []Event {
		return slices.DeleteFunc(l.of(switched), func(e Event) bool {
			return e.Clock != l.machine.ClockSource || !slices.Contains(weakWatchdogs, e.Clock)
		})
	}, text: "The last clock source in this log counts timer interrupts. If the kernel kept it, as on simulators without a counter, time steps by one interrupt, 1 to 10 ms."},
	{kind: "lost-rtc-interrupts", harmless: true, say: func(c *Cause, _ log, _ comparison) {
		times := 0
		for _, e := range c.Evidence {
			times += e.Count
		}
		c.Evidence = c.Evidence[:1]
		c.Text = fmt.Sprintf("The machine was too busy to deliver interrupts of the RTC, which the HPET emulates (%d lines). That says nothing about the clock that programs read.", times)
	}},
	{kind: "watchdog-timed-out", harmless: true, lines: watchdogTimedOut,
		text: "The watchdog could not check the TSC: its timer was too slow to read, as in a busy or a nested virtual machine. The kernel tries again, and nothing was switched."},
	{kind: "32-bit-erratum", harmless: true, lines: logged(erratum), say: func(c *Cause, l log, _ comparison) {
		if len(trapped(l)) == 0 {
			c.Text = "The CPU has " + c.Evidence[0].Name + ", which concerns 32-bit programs only. 64-bit programs read the counter in user mode."
		}
	}},
}

// stampsGoBack: a stamp of the log is before the one of the line above. It counts if the kernel also doubts the TSC.
func stampsGoBack(c *Cause, l log, _ comparison) {
	if slices.ContainsFunc(l.events, Event.Marks) && !l.machine.Guest {
		most := slices.MinFunc(c.Evidence, func(a, b Event) int { return cmp.Compare(a.SkewNS, b.SkewNS) })
		c.Text = fmt.Sprintf("A line of the log is stamped %s before the line above it: the clock of the CPU that wrote it was behind, as where the TSCs of the CPUs differ.", span(most.SkewNS))
	}
}

// tscAdjust: the kernel found and fixed TSC_ADJUST. If the CPUs still differ, another rule reports it.
func tscAdjust(c *Cause, l log, _ comparison) {
	if len(l.of(tscWarp, interCPUSkew, cpusAhead, cpusBehind)) > 0 {
		return
	}
	who := "firmware"
	if l.machine.Guest {
		who = "hypervisor"
	}
	c.Title = "the " + who + " wrote to the TSC"
	c.Text = fmt.Sprintf("The %s wrote to the TSC (TSC ADJUST, %s), and the kernel corrected it. Between a write and the correction the TSCs of the CPUs differ.", who, cpuNames(c.Evidence))
	if p := l.parameter("tsc=reliable"); p != "" {
		c.Text += " The parameter " + p + " switches the kernel's later checks off, so it would not notice."
	}
}

// watchdogTimedOut: the check was skipped. If the kernel also marked the TSC, another rule reports it.
func watchdogTimedOut(l log) []Event {
	found := l.of(readTimedOut, readBackDelay)
	if len(l.marking("")) > 0 || slices.ContainsFunc(found, Event.Marks) {
		return nil
	}
	return found[:min(len(found), 1)]
}
