package diagnose

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
)

// Who selected the clock source, from the kernel's list (the best first), its command line and
// its log. Nothing else is reported as the cause, and no cause is missing. A new case is a row.
func TestWhoChoseTheClockSource(t *testing.T) {
	const (
		byHand   = "at run time, by writing to current_clocksource"
		atBoot   = "on the kernel command line"
		watchdog = "disagrees with another clock"
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
		variant       bool // the CPU reports no invariant TSC
		causes, never []string
		evidence      string
	}{
		"by hand": {
			current: "acpi_pm", available: all, log: append(switched, "[ 77.0] clocksource: Switched to clocksource acpi_pm"),
			causes:   []string{"somebody selected acpi_pm " + byHand, "rates tsc highest", "Neither the kernel command line nor the kernel log", undo, "/etc/rc.local", "tuned", "cron", "provisioning", "echo tsc |"},
			never:    []string{atBoot, "Remove the parameter"},
			evidence: "kernel log: [ 77.0] clocksource: Switched to clocksource acpi_pm",
		},
		"by hand, the TSC is not invariant": {
			current: "acpi_pm", available: all, log: switched, variant: true,
			causes: []string{"somebody selected acpi_pm " + byHand}, never: []string{"does not rely on the TSC"},
		},
		"the TSC was in use and is gone, without a reason": {
			current: "hpet", available: withoutTSC, log: switched, variant: true,
			causes: []string{"Neither the kernel log nor the kernel command line explains"}, never: []string{"does not rely on the TSC", byHand},
		},
		"tsc-early is not tsc": {
			current: "hpet", available: withoutTSC, log: switched[:1], variant: true,
			causes: []string{"so the kernel does not rely on the TSC"},
		},
		"by hand, and the log cannot be read": {
			current: "hpet", available: all, noLog: true,
			causes: []string{"somebody selected hpet " + byHand, "The kernel command line does not explain the other choice (the kernel log since the boot is not known"}, never: []string{"nor the kernel log"},
		},
		"by hand, another than at boot": {
			current: "acpi_pm", available: all, boot: []string{"clocksource=hpet"},
			causes:   []string{"command line names hpet, which is available, but acpi_pm is in use", "somebody selected acpi_pm " + byHand, undo, "Remove the parameter"},
			never:    []string{atBoot},
			evidence: "kernel command line: clocksource=hpet, which is not in use",
		},
		"back to the best, another than at boot": {
			current: "kvm-clock", available: []string{"kvm-clock", "tsc"}, boot: []string{"clocksource=tsc"},
			causes: []string{"command line names tsc, which is available, but kvm-clock is in use"}, never: []string{atBoot, "Let the kernel select"},
		},
		"at boot": {
			current: "hpet", available: all, boot: []string{"clocksource=acpi_pm", "clocksource=hpet"},
			causes: []string{atBoot + ": clocksource=hpet.", "Remove the parameter"}, never: []string{byHand, "is in use."},
			evidence: "kernel command line: clocksource=hpet",
		},
		"a typo at boot": {
			current: "hpet", available: withoutTSC, boot: []string{"clocksource=tcs"}, log: append(switched, demotion),
			causes: []string{watchdog}, never: []string{atBoot, byHand},
			evidence: "kernel command line: clocksource=tcs, which is not available",
		},
		"a typo at boot, and by hand": {
			current: "hpet", available: all, boot: []string{"clocksource=tcs"},
			causes: []string{"somebody selected hpet " + byHand, "rates tsc highest"}, never: []string{atBoot},
			evidence: "kernel command line: clocksource=tcs, which is not available",
		},
		"what the kernel has and does not offer": {
			current: "hpet", available: withoutTSC, boot: []string{"clocksource=tsc"}, log: append(switched, demotion),
			causes: []string{watchdog}, never: []string{atBoot},
			evidence: "kernel command line: clocksource=tsc, which is not available",
		},
		"unstable, and the command line names what it uses anyway": {
			current: "hpet", available: withoutTSC, boot: []string{"clocksource=hpet"}, log: append(switched, demotion),
			causes: []string{watchdog, "Also: The clock source is set " + atBoot + ": clocksource=hpet."}, never: []string{byHand},
			evidence: "kernel log: " + demotion,
		},
		"unstable, and the command line names another one": {
			current: "hpet", available: []string{"hpet", "acpi_pm", "potato"}, boot: []string{"clocksource=potato"}, log: append(switched, demotion),
			causes: []string{watchdog, "Also: The kernel command line names potato", "somebody selected hpet"}, never: []string{atBoot},
			evidence: "kernel log: " + demotion,
		},
		"unstable, and then by hand": {
			current: "acpi_pm", available: withoutTSC, log: append(switched, demotion),
			causes: []string{watchdog, "Also: The kernel rates hpet highest", "somebody selected acpi_pm " + byHand, undo}, never: []string{atBoot, "echo tsc"},
			evidence: "kernel log: " + demotion,
		},
		"presumed unstable, and the command line names what it uses anyway": {
			current: "hpet", available: withoutTSC, boot: []string{"clocksource=hpet"}, log: []string{"[ 0.1] tsc: Marking TSC unstable due to TSCs unsynchronized"},
			causes: []string{"assumes that the TSCs of the CPUs are unsynchronised", "Also: The clock source is set " + atBoot},
		},
		"notsc": {
			current: "hpet", available: withoutTSC, boot: []string{"notsc", "tsc=reliable"},
			causes: []string{atBoot + ": notsc."}, never: []string{"tsc=reliable"},
		},
		"tsc=unstable, and by hand": {
			current: "acpi_pm", available: withoutTSC, boot: []string{"tsc=unstable"},
			causes: []string{atBoot + ": tsc=unstable.", "Also: The kernel rates hpet highest"},
		},
		"kvm-clock turned off": {
			current: "hpet", available: withoutTSC, boot: []string{"no_kvmclock"}, variant: true,
			causes: []string{"so the kernel does not rely on the TSC", "Also: kvm-clock, which could replace the TSC, is disabled " + atBoot + ": no_kvmclock."},
		},
		"the page of kvm-clock turned off": {
			current: "kvm-clock", available: []string{"kvm-clock", "tsc"}, boot: []string{"no-kvmclock-vsyscall"},
			causes: []string{"its page is switched off " + atBoot + ": no-kvmclock-vsyscall.", "--remove-args=no-kvmclock-vsyscall"},
			never:  []string{"does not report the TSC as stable", "on the host", "prefers"},
		},
		"kvm-clock offered anyway": {
			current: "kvm-clock", available: []string{"kvm-clock", "tsc"}, boot: []string{"no_kvmclock"},
			causes: []string{"which it rates higher"}, never: []string{atBoot},
		},
		"in use and not in the list": {
			current: "jiffies", available: all,
			causes: []string{"uses jiffies, which is not in its list"}, never: []string{byHand},
		},
		"no list": {current: "hpet", boot: []string{"clocksource=tcs"}, causes: []string{"nor the kernel command line explains"}, never: []string{byHand, "which is not available"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := well()
			slow(d, test.current)
			d.Host.ClockSource.Available, d.Host.BootParameters = test.available, test.boot
			*d.Host.CPU.InvariantTSC = !test.variant
			d.Host.KernelLog = &result.KernelLog{Lines: test.log}
			if test.noLog {
				d.Host.KernelLog = &result.KernelLog{Reason: "/dev/kmsg: operation not permitted"}
			}
			findings := Findings(d)
			require.Len(t, findings, 1)
			text := worded(findings[0])
			requireText(t, text, test.causes, test.never, name)
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
