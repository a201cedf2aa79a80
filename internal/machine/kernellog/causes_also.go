package kernellog

import (
	"cmp"
	"fmt"
	"slices"
)

// alsoRules find causes beside the reason.
var alsoRules = []rule{
	{kind: "tsc-adjust", inferred: true, find: tscAdjust},
	{kind: "override-refused", inferred: true, find: first(refused, func(e Event) Cause {
		return Cause{
			Title: "the kernel refused the clock source " + e.Clock, Concerns: subjectOf(e.Clock),
			Text: fmt.Sprintf("Somebody asked for the clock source %s, and the kernel refused it.", e.Clock),
		}
	})},
	{kind: string(watchdogReport), harmless: true, find: first(watchdogReport, func(e Event) Cause {
		relation := "more"
		if e.SkewNS < 0 {
			relation = "less"
		}
		return Cause{Concerns: subjectOf(e.Clock), Text: fmt.Sprintf("In one check %s advanced %s %s than its watchdog (the kernel's figure): one of the two was late or wrong. "+
			"The kernel of RHEL 6 only reports that. It marks nothing without the parameter clocksource_failover.", e.Clock, span(e.SkewNS), relation)}
	})},
	{kind: string(stampBack), title: "the clocks of the CPUs differ", inferred: true, find: stampsGoBack},
	{kind: "no-vdso-clocks", harmless: true, concerns: OfCounter, find: func(l log) (Cause, bool) {
		found := slices.DeleteFunc(l.of(armRate), func(e Event) bool { return e.Name != "phys" || l.machine.Arch != "arm" })
		return Cause{Text: "The kernel reads the physical counter (phys). A guess: on 32-bit Arm that means that the firmware has not set up the virtual counter, and then the vDSO has no clocks: every read of the time enters the kernel."}.shownBy(found)
	}},
	{kind: "only-ticks", harmless: true, concerns: OfOtherSource, find: func(l log) (Cause, bool) {
		last := slices.DeleteFunc(l.of(switched), func(e Event) bool {
			return e.Clock != l.machine.ClockSource || !slices.Contains(weakWatchdogs, e.Clock)
		})
		return Cause{Text: "The last clock source in this log counts timer interrupts (" + l.machine.ClockSource + "). If the kernel kept it, as on simulators without a counter, time steps by one interrupt, 1 to 10 ms."}.shownBy(last)
	}},
	{kind: "lost-rtc-interrupts", harmless: true, find: rtcInterruptsLost},
	{kind: "watchdog-timed-out", harmless: true, find: watchdogTimedOut},
	{kind: "32-bit-erratum", harmless: true, find: erratum32},
}

// stampsGoBack: a stamp of the log is before the one of the line above. It counts if the kernel also doubts the TSC.
func stampsGoBack(l log) (Cause, bool) {
	found := l.of(stampBack)
	if !slices.ContainsFunc(l.events, Event.Marks) || l.machine.Guest || len(found) == 0 {
		return Cause{}, false
	}
	most := slices.MinFunc(found, func(a, b Event) int { return cmp.Compare(a.SkewNS, b.SkewNS) })
	return Cause{TSC: TSCWrong, Evidence: found, Text: fmt.Sprintf(
		"A line of the log is stamped %s before the line above it: the clock of the CPU that wrote it was behind, as where the TSCs of the CPUs differ.", span(most.SkewNS))}, true
}

// tscAdjust: the kernel found and fixed TSC_ADJUST. If the CPUs still differ, another rule reports it.
func tscAdjust(l log) (Cause, bool) {
	found := l.of(adjustDiffers, adjustForced, adjustWarp)
	if len(found) == 0 || len(l.of(tscWarp, interCPUSkew, cpusAhead, cpusBehind)) > 0 {
		return Cause{}, false
	}
	who := "firmware"
	if l.machine.Guest {
		who = "hypervisor"
	}
	text := fmt.Sprintf("The %s wrote to the TSC (TSC ADJUST, %s), and the kernel corrected it. Between a write and the correction the TSCs of the CPUs differ.", who, cpuNames(found))
	if p := l.parameter("tsc=reliable"); p != "" {
		text += " The parameter " + p + " switches the kernel's later checks off, so it would not notice."
	}
	return Cause{Title: "the " + who + " wrote to the TSC", Text: text, Evidence: found}, true
}

func rtcInterruptsLost(l log) (Cause, bool) {
	found := l.of(lostRTC)
	if len(found) == 0 {
		return Cause{}, false
	}
	times := 0
	for _, e := range found {
		times += e.Count
	}
	return Cause{Text: fmt.Sprintf("The machine was too busy to deliver interrupts of the RTC, which the HPET emulates (%d lines). That says nothing about the clock that programs read.", times), Evidence: found[:1]}, true
}

// watchdogTimedOut: the check was skipped. If the kernel also marked the TSC, another rule reports it.
func watchdogTimedOut(l log) (Cause, bool) {
	found := l.of(readTimedOut, readBackDelay)
	if len(found) == 0 || len(l.marking("")) > 0 || slices.ContainsFunc(found, Event.Marks) {
		return Cause{}, false
	}
	return Cause{Text: "The watchdog could not check the TSC: its timer was too slow to read, as in a busy or a nested virtual machine. The kernel tries again, and nothing was switched.", Evidence: found[:1]}, true
}

func erratum32(l log) (Cause, bool) {
	found := l.of(erratum)
	if len(found) == 0 {
		return Cause{}, false
	}
	if _, concerned := trappedCounter(l); concerned {
		return Cause{}, false
	}
	return Cause{Text: "The CPU has " + found[0].Name + ", which concerns 32-bit programs only. 64-bit programs read the counter in user mode.", Evidence: found}, true
}
