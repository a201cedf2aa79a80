package diagnose

import (
	"github.com/timebench/timebench/internal/document/result"
)

// chosen plants a clock source in use whose reads enter the kernel, the available ones, and lines of the kernel log.
func chosen(current string, available, log []string, changes ...func(*result.Document)) func(*result.Document) {
	return func(d *result.Document) {
		slow(d, current)
		d.Host.ClockSource.Available, d.Host.KernelLog = available, &result.KernelLog{Lines: log}
		for _, change := range changes {
			change(d)
		}
	}
}

// variant clears the flag of an invariant TSC.
func variant(d *result.Document) { *d.Host.CPU.InvariantTSC = false }

const (
	byHand   = "at run time, by writing to current_clocksource"
	atBoot   = "on the kernel command line"
	watchdog = "disagrees with another clock"
	undo     = "echo | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource"
	demotion = "[ 9.1] tsc: Marking TSC unstable due to clocksource watchdog"
)

var (
	all        = []string{"tsc", "hpet", "acpi_pm"}
	withoutTSC = all[1:]
	switched   = []string{"[ 1.0] clocksource: Switched to clocksource tsc-early", "[ 2.0] clocksource: Switched to clocksource tsc"}
	demoted    = append(switched[:2:2], demotion)
)

// entering is an outcome whose reads enter the kernel.
func entering(plant func(*result.Document), says, never string) outcome {
	return outcome{plant, "kernel-entry", result.Error, says, never}
}

// The selection of the clock source is found from the kernel's list (the best first), its command line and its log. No
// other cause is reported, and no cause is missing.
var ofChoices = map[string]outcome{
	"by hand": entering(chosen("acpi_pm", all, append(switched[:2:2], "[ 77.0] clocksource: Switched to clocksource acpi_pm")),
		"rates tsc highest … Neither the kernel command line nor the kernel log … somebody selected acpi_pm "+byHand+
			" … kernel log: [ 77.0] clocksource: Switched to clocksource acpi_pm … "+undo+" … /etc/rc.local … tuned … cron … provisioning … echo tsc |",
		atBoot+" | Remove the parameter"),
	"by hand, the TSC is not invariant": entering(chosen("acpi_pm", all, switched, variant), "somebody selected acpi_pm "+byHand, "does not rely on the TSC"),
	"the TSC was in use and is gone, without a reason": entering(chosen("hpet", withoutTSC, switched, variant),
		"Neither the kernel log nor the kernel command line explains", "does not rely on the TSC | "+byHand),
	"tsc-early is not tsc": entering(chosen("hpet", withoutTSC, switched[:1], variant), "so the kernel does not rely on the TSC", ""),
	"by hand, and the log cannot be read": entering(chosen("hpet", all, nil, func(d *result.Document) {
		d.Host.KernelLog = &result.KernelLog{Reason: "/dev/kmsg: operation not permitted"}
	}), "The kernel command line does not explain the other choice (the kernel log since the boot is missing … somebody selected hpet "+byHand, "nor the kernel log"),
	"by hand, another than at boot": entering(chosen("acpi_pm", all, nil, booted("clocksource=hpet")),
		"command line names hpet, which is available, but acpi_pm is in use … somebody selected acpi_pm "+byHand+
			" … kernel command line: clocksource=hpet, which is not in use … "+undo+" … Remove the parameter", atBoot),
	"back to the best, another than at boot": entering(chosen("kvm-clock", []string{"kvm-clock", "tsc"}, nil, booted("clocksource=tsc")),
		"command line names tsc, which is available, but kvm-clock is in use", atBoot+" | Let the kernel select"),
	"at boot": entering(chosen("hpet", all, nil, booted("clocksource=acpi_pm", "clocksource=hpet")),
		atBoot+": clocksource=hpet. … kernel command line: clocksource=hpet … Remove the parameter", byHand+" | is in use."),
	"a typo at boot": entering(chosen("hpet", withoutTSC, demoted, booted("clocksource=tcs")),
		watchdog+" … kernel command line: clocksource=tcs, which is not available", atBoot+" | "+byHand),
	"unstable, and the command line names what it uses anyway": entering(chosen("hpet", withoutTSC, demoted, booted("clocksource=hpet")),
		watchdog+" … Also: The clock source is set "+atBoot+": clocksource=hpet. … kernel log: "+demotion, byHand),
	"unstable, and the command line names another one": entering(chosen("hpet", []string{"hpet", "acpi_pm", "potato"}, demoted, booted("clocksource=potato")),
		watchdog+" … Also: The kernel command line names potato … somebody selected hpet … kernel log: "+demotion, atBoot),
	"unstable, and then by hand": entering(chosen("acpi_pm", withoutTSC, demoted),
		watchdog+" … Also: The kernel rates hpet highest … somebody selected acpi_pm "+byHand+" … kernel log: "+demotion+" … "+undo, atBoot+" | echo tsc"),
	"notsc": entering(chosen("hpet", withoutTSC, nil, booted("notsc", "tsc=reliable")), atBoot+": notsc.", "tsc=reliable"),
	"kvm-clock turned off": entering(chosen("hpet", withoutTSC, nil, booted("no_kvmclock"), variant),
		"so the kernel does not rely on the TSC … Also: kvm-clock, which could replace the TSC, is disabled "+atBoot+": no_kvmclock.", ""),
	"the page of kvm-clock turned off": entering(chosen("kvm-clock", []string{"kvm-clock", "tsc"}, nil, booted("no-kvmclock-vsyscall")),
		"its page is switched off "+atBoot+": no-kvmclock-vsyscall. … --remove-args=no-kvmclock-vsyscall", "does not report the TSC as stable | on the host | prefers"),
	"kvm-clock offered anyway": entering(chosen("kvm-clock", []string{"kvm-clock", "tsc"}, nil, booted("no_kvmclock")), "which it rates higher", atBoot),
	"tsc behind the ticks": entering(chosen("refined-jiffies", []string{"refined-jiffies", "jiffies", "tsc"}, nil),
		"has marked the TSC unstable … Give the kernel a real timer … grep -iE 'tsc … timebench skew … try tsc until the next boot … timebench drift",
		"rates higher | clocksource=tsc | --clocksources"),
	"tsc behind the ticks, and a timer": entering(chosen("acpi_pm", []string{"acpi_pm", "jiffies", "tsc"}, nil), "has marked the TSC unstable … Leave the clock source as it is",
		"rates higher | clocksource=tsc | --clocksources | try tsc"),
	"an unsorted list": entering(chosen("hpet", []string{"acpi_pm", "jiffies", "hpet", "tsc", "pit"}, nil), "it is unsorted … available clock sources: acpi_pm",
		"best first | rates | clocksource=tsc | at run time"),
	"in use and not in the list": entering(chosen("jiffies", all, nil), "uses jiffies, although its list lacks jiffies", byHand),
	"an incomplete log": entering(chosen("hpet", all[1:2], nil, func(d *result.Document) { d.Host.KernelLog.Truncated = true }),
		"does not reach back to the boot … the kernel log is incomplete: it does not reach back to the boot, or lines are missing … journalctl -k -b | grep -iE 'tsc|clocksource'",
		"kernel log: it | Neither the kernel log"), // which reads like a line of the log
	"tsc, and another one during the run": entering(chosen("tsc", all, nil, func(d *result.Document) { d.Conditions.ClockSources = []string{"tsc", "hpet"} }),
		"although the clock source is tsc … clock sources during the run: tsc, then hpet", "prefers"),
	"an unknown CPU":      entering(chosen("hpet", []string{"hpet", "tsc"}, nil, func(d *result.Document) { d.Host.Arch = "" }), "offers tsc but prefers hpet", ""),
	"a CPU without a TSC": entering(chosen("hpet", withoutTSC, nil, func(d *result.Document) { d.Host.Arch = "riscv64" }), "", "TSC"),
	"no list":             entering(chosen("hpet", nil, nil, booted("clocksource=tcs")), "nor the kernel command line explains", byHand+" | which is not available"),
}
