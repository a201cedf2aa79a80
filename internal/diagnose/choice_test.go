package diagnose

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/result"
)

// Who chose the clock source, by the kernel's list (the best first), its command line and
// its log. What is not the cause is not called one, and hides none.
func TestWhoChoseTheClockSource(t *testing.T) {
	const (
		byHand   = "while the system ran, by writing into current_clocksource"
		told     = "told so on its command line"
		watchdog = "disagree with another clock"
		undo     = "echo | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource"
	)
	all := []string{"tsc", "hpet", "acpi_pm"}
	withoutTSC := all[1:]
	demotion := "[ 9.1] tsc: Marking TSC unstable due to clocksource watchdog"
	switched := []string{"[ 1.0] clocksource: Switched to clocksource tsc-early", "[ 2.0] clocksource: Switched to clocksource tsc"}
	for name, test := range map[string]struct {
		current       string
		available     []string
		boot, log     []string
		noLog         bool
		variant       bool // the CPU promises no invariant TSC
		causes, never []string
		evidence      string
	}{
		"by hand": {
			current: "acpi_pm", available: all, log: append(switched, "[ 77.0] clocksource: Switched to clocksource acpi_pm"),
			causes:   []string{"somebody chose acpi_pm " + byHand, "rates tsc highest", "neither its command line nor its log", undo, "/etc/rc.local", "tuned", "cron", "provisions", "echo tsc |"},
			never:    []string{told, "Take the parameter"},
			evidence: "kernel log: [ 77.0] clocksource: Switched to clocksource acpi_pm",
		},
		"by hand, the TSC is not invariant": {
			current: "acpi_pm", available: all, log: switched, variant: true,
			causes: []string{"somebody chose acpi_pm " + byHand}, never: []string{"does not rely on it"},
		},
		"the TSC was in use and is gone, nobody says why": {
			current: "hpet", available: withoutTSC, log: switched, variant: true,
			causes: []string{"neither the kernel's log nor its command line says"}, never: []string{"does not rely on it", byHand},
		},
		"tsc-early is not tsc": {
			current: "hpet", available: withoutTSC, log: switched[:1], variant: true,
			causes: []string{"so the kernel does not rely on it"},
		},
		"by hand, and the log cannot be read": {
			current: "hpet", available: all, noLog: true,
			causes: []string{"somebody chose hpet " + byHand, "its command line gives no reason against that (its log is not known"}, never: []string{"nor its log"},
		},
		"by hand, another than at boot": {
			current: "acpi_pm", available: all, boot: []string{"clocksource=hpet"},
			causes:   []string{"command line names hpet, which the kernel offers, and acpi_pm is in use", "somebody chose acpi_pm " + byHand, undo, "Take the parameter"},
			never:    []string{told},
			evidence: "kernel command line: clocksource=hpet, which is not in use",
		},
		"back to the best, another than at boot": {
			current: "kvm-clock", available: []string{"kvm-clock", "tsc"}, boot: []string{"clocksource=tsc"},
			causes: []string{"command line names tsc, which the kernel offers, and kvm-clock is in use"}, never: []string{told, "Let the kernel choose"},
		},
		"at boot": {
			current: "hpet", available: all, boot: []string{"clocksource=acpi_pm", "clocksource=hpet"},
			causes: []string{told + ": clocksource=hpet.", "Take the parameter"}, never: []string{byHand, "is in use:"},
			evidence: "kernel command line: clocksource=hpet",
		},
		"a typo at boot": {
			current: "hpet", available: withoutTSC, boot: []string{"clocksource=tcs"}, log: append(switched, demotion),
			causes: []string{watchdog}, never: []string{told, byHand},
			evidence: "kernel command line: clocksource=tcs names no clock source the kernel has",
		},
		"a typo at boot, and by hand": {
			current: "hpet", available: all, boot: []string{"clocksource=tcs"},
			causes: []string{"somebody chose hpet " + byHand, "rates tsc highest"}, never: []string{told},
			evidence: "kernel command line: clocksource=tcs names no clock source the kernel has",
		},
		"what the kernel has and does not offer": {
			current: "hpet", available: withoutTSC, boot: []string{"clocksource=tsc"}, log: append(switched, demotion),
			causes: []string{watchdog}, never: []string{told, "names no clock source"},
			evidence: "kernel command line: clocksource=tsc, which the kernel does not offer",
		},
		"demoted, and told what it uses anyway": {
			current: "hpet", available: withoutTSC, boot: []string{"clocksource=hpet"}, log: append(switched, demotion),
			causes: []string{watchdog, "Besides: The kernel was " + told + ": clocksource=hpet."}, never: []string{byHand},
			evidence: "kernel log: " + demotion,
		},
		"demoted, and told another that is not in use": {
			current: "hpet", available: []string{"hpet", "acpi_pm", "potato"}, boot: []string{"clocksource=potato"}, log: append(switched, demotion),
			causes: []string{watchdog, "Besides: The kernel's command line names potato", "somebody chose hpet"}, never: []string{told},
			evidence: "kernel log: " + demotion,
		},
		"demoted, and then by hand": {
			current: "acpi_pm", available: withoutTSC, log: append(switched, demotion),
			causes: []string{watchdog, "Besides: The kernel rates hpet highest", "somebody chose acpi_pm " + byHand, undo}, never: []string{told, "echo tsc"},
			evidence: "kernel log: " + demotion,
		},
		"presumed unstable, and told what it uses anyway": {
			current: "hpet", available: withoutTSC, boot: []string{"clocksource=hpet"}, log: []string{"[ 0.1] tsc: Marking TSC unstable due to TSCs unsynchronized"},
			causes: []string{"takes the CPUs' TSCs for unsynchronised", "Besides: The kernel was " + told},
		},
		"notsc": {
			current: "hpet", available: withoutTSC, boot: []string{"notsc", "tsc=reliable"},
			causes: []string{told + ": notsc."}, never: []string{"tsc=reliable"},
		},
		"tsc=unstable, and by hand": {
			current: "acpi_pm", available: withoutTSC, boot: []string{"tsc=unstable"},
			causes: []string{told + ": tsc=unstable.", "Besides: The kernel rates hpet highest"},
		},
		"kvm-clock turned off": {
			current: "hpet", available: withoutTSC, boot: []string{"no_kvmclock"}, variant: true,
			causes: []string{"so the kernel does not rely on it", "Besides: KVM's own clock cannot take the TSC's place. The kernel was " + told + ": no_kvmclock."},
		},
		"kvm-clock there all the same": {
			current: "kvm-clock", available: []string{"kvm-clock", "tsc"}, boot: []string{"no_kvmclock"},
			causes: []string{"it rates it higher"}, never: []string{told},
		},
		"in use and not in the list": {
			current: "jiffies", available: all,
			causes: []string{"prefers jiffies, which it does not list"}, never: []string{byHand},
		},
		"no list": {current: "hpet", boot: []string{"clocksource=tcs"}, causes: []string{"nor its command line says"}, never: []string{byHand, "names no clock source"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := well()
			d.Clocks = clocks(result.Always, 640)
			*d.Host.CPU.InvariantTSC = !test.variant
			d.Host.ClockSource = &result.ClockSource{Current: test.current, Available: test.available}
			d.Host.BootParameters = test.boot
			d.Host.KernelLog = &result.KernelLog{Lines: test.log}
			if test.noLog {
				d.Host.KernelLog = &result.KernelLog{Reason: "/dev/kmsg: operation not permitted"}
			}
			findings := Findings(d)
			require.Len(t, findings, 1)
			text := worded(findings[0])
			for _, cause := range test.causes {
				require.Contains(t, text, cause)
			}
			for _, never := range test.never {
				require.NotContains(t, text, never)
			}
			if test.evidence != "" {
				require.Contains(t, findings[0].Evidence, test.evidence)
			}
			seen := map[string]bool{}
			for _, line := range findings[0].Evidence {
				require.False(t, seen[line], "twice: %s", line)
				seen[line] = true
			}
			for _, r := range findings[0].Remedies {
				require.False(t, seen[r.Advice], "twice: %s", r.Advice)
				seen[r.Advice] = true
				for _, command := range r.Commands {
					require.LessOrEqual(t, len(command), 86, "a command that is wrapped cannot be copied")
				}
			}
		})
	}
}
