package diagnose

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// The selection of the clock source is found from the kernel's list (the best first), its command line and its log. No
// other cause is reported, and no cause is missing. A new case is a row.
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
		plant         func(*result.Document)
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
			current: "hpet", available: all, plant: func(d *result.Document) {
				d.Host.KernelLog = &result.KernelLog{Reason: "/dev/kmsg: operation not permitted"}
			},
			causes: []string{"somebody selected hpet " + byHand, "The kernel command line does not explain the other choice (the kernel log since the boot is missing"}, never: []string{"nor the kernel log"},
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
		"notsc": {
			current: "hpet", available: withoutTSC, boot: []string{"notsc", "tsc=reliable"},
			causes: []string{atBoot + ": notsc."}, never: []string{"tsc=reliable"},
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
		"an incomplete log": {
			current: "hpet", available: all[1:2], plant: func(d *result.Document) { d.Host.KernelLog.Truncated = true },
			causes:   []string{"does not reach back to the boot", "journalctl -k -b | grep -iE 'tsc|clocksource'"},
			never:    []string{"kernel log: it ", "Neither the kernel log"}, // which reads like a line of the log
			evidence: "the kernel log is incomplete: it does not reach back to the boot, or lines are missing",
		},
		"tsc, and another one during the run": {
			current: "tsc", available: all, plant: func(d *result.Document) { d.Conditions.ClockSources = []string{"tsc", "hpet"} },
			causes: []string{"although the clock source is tsc"}, never: []string{"prefers"}, evidence: "clock sources during the run: tsc, then hpet",
		},
		"an unknown CPU": {
			current: "hpet", available: []string{"hpet", "tsc"}, plant: func(d *result.Document) { d.Host.Arch = "" }, causes: []string{"offers tsc but prefers hpet"},
		},
		"a CPU without a TSC": {
			current: "hpet", available: []string{"hpet", "acpi_pm"}, plant: func(d *result.Document) { d.Host.Arch = "riscv64" }, never: []string{"TSC"},
		},
		"no list": {current: "hpet", boot: []string{"clocksource=tcs"}, causes: []string{"nor the kernel command line explains"}, never: []string{byHand, "which is not available"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := well()
			slow(d, test.current)
			d.Host.ClockSource.Available, d.Host.BootParameters = test.available, test.boot
			*d.Host.CPU.InvariantTSC = !test.variant
			d.Host.KernelLog = &result.KernelLog{Lines: test.log}
			if test.plant != nil {
				test.plant(d)
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

// A document without the key kernel_entry (from a command that does not test it, or older than the key) proves nothing:
// under hpet that is a finding, under tsc it is not. The proof for another clock does not count.
func TestKernelEntryNotTested(t *testing.T) {
	d := well()
	compare.Into(d).Clocks = clocks(result.Never, 640)
	compare.Into(d).Clocks[0].KernelEntry, compare.Into(d).Clocks[0].KernelEntryBy = "", ""
	require.Empty(t, Findings(d), "a vDSO can read tsc")
	d.Host.ClockSource.Current = "hpet"
	requireKind(t, d, "kernel-entry-unproven", result.Warn, []string{
		"CLOCK_MONOTONIC@vdso · 640 ns/read (95% CI 634 ns to 646 ns) · kernel entry was not tested", "so every read should be a system call; nothing here tested it.",
	}, []string{"CLOCK_REALTIME@vdso", "so every read is a system call"}, "hpet")
	compare.Into(d).Clocks = clocks(result.Never, 640)
	require.Empty(t, Findings(d), "both are proven")
}
