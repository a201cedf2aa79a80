package kernellog

import (
	"fmt"
	"slices"
	"strings"
)

// presumedRules find why the kernel does not use the TSC although it has not seen it fail.
var presumedRules = []rule{
	{kind: "adjusted-beyond-limit", find: first(adjusting, func(e Event) Cause {
		return Cause{
			Title: "the rate of " + e.Clock + " is corrected by more than 11 %", Concerns: subjectOf(e.Clock),
			Text: fmt.Sprintf("A time service corrects %s by more than 11 %%: its rate is wrong, or the service reads a wrong clock.", e.Clock),
		}
	})},
	{kind: "hyperv-by-design", harmless: true, find: markedFor("running on hyper-v", Cause{
		Text: "The kernel uses Hyper-V's own clock, as intended: Hyper-V does not give this machine an invariant TSC, or the kernel is an old one, which marks the TSC of every guest of Hyper-V. The mark is no fault.",
	})},
	{kind: "xen-by-design", harmless: true, find: xenByDesign},
	{kind: "presumed-unsynchronized", title: "the kernel presumes that the TSCs are unsynchronised", inferred: true, find: markedFor("tscs unsynchronized", Cause{
		Text: "The kernel assumes that the TSCs of the CPUs are unsynchronised, but has not measured it. It does so for CPUs without constant_tsc, and for some machines with many sockets.",
	})},
	{kind: "marked-unstable", title: "the kernel marked the TSC unstable", inferred: true, find: markedUnstable},
	{
		kind: "counter-trapped", title: "the kernel keeps user mode from reading the counter of the CPU", concerns: OfCounter, inferred: true,
		find: trappedCounter,
	},
}

func xenByDesign(l log) (Cause, bool) {
	xen := l.of(xenGuest)
	marked := l.marking("tscs unsynchronized")
	if len(marked) == 0 || len(xen) == 0 && l.machine.Hypervisor != "xen" && l.machine.ClockSource != "xen" {
		return Cause{}, false
	}
	return Cause{
		Text:     "This is a Xen guest, whose intended clock source is xen. The mark on the TSC is presumed from the CPU's flags, not measured, and no fault.",
		Evidence: slices.Concat(xen, marked),
	}, true
}

func markedUnstable(l log) (Cause, bool) {
	marked := l.marking("")
	all := l.of(tscUnstable)
	switch {
	case len(marked) > 0:
		return Cause{Text: fmt.Sprintf("The kernel marked the TSC unstable until the next boot, due to %q.", marked[0].Reason), Evidence: all}, true
	case len(all) > 0:
		return Cause{Text: "The kernel marked the TSC unstable until the next boot. The reason is not in this part of its log.", Evidence: all}, true
	}
	return Cause{}, false
}

// harmlessErrata are errata of Arm's counter that concern 32-bit programs only (arch/arm64/Kconfig).
var harmlessErrata = []string{"1418040", "1188873"}

func trappedCounter(l log) (Cause, bool) {
	errata := slices.DeleteFunc(l.of(erratum), func(e Event) bool {
		return slices.ContainsFunc(harmlessErrata, func(h string) bool { return strings.Contains(e.Name, h) })
	})
	trapped := l.of(counterTrapped)
	if len(errata) == 0 && len(trapped) == 0 {
		return Cause{}, false
	}
	name := "an erratum of the counter"
	if len(errata) > 0 {
		name = errata[0].Name
	}
	return Cause{
		Text:     fmt.Sprintf("The CPU has %s: a read of its counter can be wrong. The kernel therefore reads it on behalf of user mode, on every CPU, and every read of the time enters the kernel.", name),
		Evidence: slices.Concat(errata, trapped),
	}, true
}
