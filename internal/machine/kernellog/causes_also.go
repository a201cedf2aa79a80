package kernellog

import (
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
	{kind: "lost-rtc-interrupts", harmless: true, find: rtcInterruptsLost},
	{kind: "watchdog-timed-out", harmless: true, find: watchdogTimedOut},
	{kind: "32-bit-erratum", harmless: true, find: erratum32},
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
