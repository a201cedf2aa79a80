package remedy

import (
	"fmt"
	"strings"

	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/show/words"
)

// tscRemedies are for a TSC that the kernel does not trust, or should not.
var tscRemedies = map[string]remedy{
	"newer-kernel-late-check": newerKernel(6, 8, always,
		"kernel/time/clocksource.c, 644649553508 (Linux 6.8, and stable kernels such as 6.1.y): a check that ran late is skipped, Long readout interval",
		"Use Linux 6.8 or later, or a kernel of a distribution that has the change (\"Long readout interval\"): it skips a check that ran late"),
	"newer-kernel-read-back": newerKernel(6, 9, always,
		"kernel/time/clocksource.c, b7082cdf (the watchdog pauses while its reads are slow), 2ed08e4bc532 (Linux 6.9: more retries with more CPUs). Not 4ac1dd3245b9 (Linux 6.12): a later commit names it as the origin of other false alarms",
		"Use Linux 6.9 or later, or a kernel of a distribution that has the change: with more CPUs it tries the reads of the watchdog more often before it gives up"),
	"newer-kernel-no-watchdog": newerKernel(5, 16, func(s *machine) bool { return !s.IsGuest() && s.HasTSCAdjust() },
		"arch/x86/kernel/tsc.c, b50db7095fe0 (Linux 5.16-rc4): no watchdog where the CPU has TSC_ADJUST and the machine at most two sockets; four since Linux 6.6 (233756a640be)",
		"Use Linux 5.16 or later: on machines with an invariant TSC, TSC_ADJUST and at most two sockets it does without the watchdog. This is safer than a parameter"),
	"newer-kernel-steering": newerKernel(4, 17, always,
		"kernel/time/timekeeping.c: timekeeping_adjust over-corrected from Linux 3.17 (dc491596f639), rewritten in 4.17 (78b98e3c5a66)",
		"Use Linux 4.17 or later, whose correction of the clock does not overshoot"),
	"newer-kernel-pc10": newerKernel(5, 15, mayStopInPC10,
		"arch/x86/kernel/hpet.c, 6e3cd95234dc (Linux 5.15): an HPET that stops in PC10 is switched off; arch/x86/kernel/early-quirks.c before, for some chips",
		"On a laptop with Intel's Coffee Lake or Ice Lake, use Linux 5.15 or later, which does not use an HPET that stops in deep sleep of the package (PC10)"),
	"hpet-off": {where: func(s *machine) bool {
		return s.OnX86() && !s.IsGuest() && (s.Host.Kernel == "" || s.OlderThan(5, 15)) && !s.DoubtsTSC() && s.BootChoice().Value != "hpet"
	}, source: "Documentation/admin-guide/kernel-parameters.txt: hpet=disable; stable list CALCETrVcJbhV9P+cSNhgzmLzbLFUCDvERN+SRJ+0YA0=MSnaQQ@mail.gmail.com",
		adds:   "hpet=disable",
		advice: "Until then, and only on such a laptop, add hpet=disable to the kernel command line",
		risk:   "The kernel then checks the TSC against the ACPI PM timer. Where the TSC is wrong, that is the clock source, and slower."},
	"newer-kernel-ticks": {where: (*machine).OnX86, source: "Linux 2.6.18 (i386) and 2.6.21 (x86_64) introduced clock sources; before, arch/x86_64/kernel/time.c counted lost ticks; bugzilla.kernel.org 5105",
		advice: "Use a newer kernel: since Linux 2.6.21 the time does not depend on ticks, and a TSC that changes its rate is not used. Until then, boot with notsc",
		risk:   upgradeRisk},
	"newer-kernel-xen": {source: "The Book of Xen, chapter 12 (2.6.18-8.el5xen): the kernels of XenSource report it, arch/x86/xen of Linux does not",
		advice: "Use a newer kernel, whose clock of Xen never goes back (arch/x86/xen of Linux, pvops), and a newer Xen",
		risk:   upgradeRisk},
	"newer-kernel-tsc-early": newerKernel(5, 4, always,
		"arch/x86/kernel/tsc.c, 63ec58b44fcc (Linux 5.4-rc7): before, tsc=reliable does not take the watchdog from tsc-early",
		"Use Linux 5.4 or later: before, the watchdog also checks tsc-early, whatever tsc= says"),
	"tsc-nowatchdog": {where: func(s *machine) bool { return mayBeUnwatched(s) && s.IsTSCRight() }, source: "Documentation/admin-guide/kernel-parameters.txt: tsc=nowatchdog (pull request x86/timers for Linux 5.2, 2019-05-06); nothing checks the TSC then",
		adds:   "tsc=nowatchdog",
		advice: "If nothing else helps, add tsc=nowatchdog to the kernel command line, which switches the watchdog off. The TSC was right here. Do not use tsc=reliable, which also skips the checks between CPUs",
		risk:   silenced},
	"tsc-nowatchdog-if-known": {where: func(s *machine) bool { return mayBeUnwatched(s) && !s.IsTSCRight() && !s.IsGuest() }, source: "Documentation/admin-guide/kernel-parameters.txt: tsc=nowatchdog (Linux 5.2), tsc=reliable",
		adds:   "tsc=nowatchdog",
		advice: "Only if you have shown that the TSC is right (the watchdog has been wrong under heavy load, and with a faulty HPET), switch the watchdog off with tsc=nowatchdog. tsc=reliable switches off all checks, also those between CPUs",
		risk:   silenced},
	"compare-with-drift": {where: (*machine).OnX86, source: "docs/commands.md: drift; a time service keeps the wall clock at the rate of its servers",
		advice:   "Find out which clock is wrong: measure the rate of the TSC against the wall clock, while a time service synchronises it",
		commands: []string{"sudo timebench drift RDTSC@cpu --ref CLOCK_REALTIME@vdso --duration 1h"}},
	"compare-cpus": {where: func(s *machine) bool { return s.OnX86() && !s.InGVisor() }, source: "docs/commands.md: skew",
		advice:   "Measure how far the TSCs of the CPUs differ, before you trust the TSC again",
		commands: []string{"timebench skew"}},
	"update-firmware": {where: (*machine).OwnsFirmware, source: "arch/x86/kernel/tsc_sync.c: TSC ADJUST, [Firmware Bug]; the firmware sets the TSCs at power-on and in SMM",
		advise: func(s *machine) string {
			return words.Either(s.LogOnly() && s.Host.Virtualization == nil, "On a real machine, update the firmware (BIOS), then switch the machine off and on", "Update the firmware (BIOS), then switch the machine off and on")
		},
		risk: "The usual risk of a firmware update."},
	"cold-boot": {where: (*machine).OwnsFirmware, source: "arch/x86/kernel/tsc_sync.c; Cooper Lake after a hot reboot, LKML 20220314194630.1726542-3-longman@redhat.com",
		advice: "Switch the machine off and on: a warm reboot keeps the TSCs as they are"},
	"look-again": {kernel: true, source: "kernel/time/clocksource.c: the mark lasts until the next boot",
		advice:   "Reboot, and check whether the message appears again, and on which CPU",
		commands: []string{"sudo dmesg | grep -iE 'tsc|clocksource'"}},
	"reboot": {kernel: true, source: "kernel/time/clocksource.c: the mark lasts until the next boot",
		advice: "Reboot: the kernel does not trust the TSC again before the next boot"},
	"no-tools": {where: (*machine).OwnsFirmware, source: "cyring/CoreFreq#308, #54: the TSC jumped when a tool rewrote P-state 0",
		advice: "Do not change P-states or voltages with a tool while the clock source is tsc: on some AMD CPUs the TSC jumps then"},
	"avoid-suspend": {where: func(s *machine) bool { return s.OwnsFirmware() && s.Logs("suspended") }, source: "arch/x86/power/cpu.c, arch/x86/kernel/tsc.c: tsc_restore_sched_clock_state; firmware must restore the TSCs after S3",
		advice: "Until the firmware is updated, do not suspend this machine to memory (S3), or reboot after each resume"},
	"remove-trust": {where: (*machine).DoubtsTSC, source: "arch/x86/kernel/tsc.c: tsc_setup; tsc=reliable and tsc=nowatchdog hide a TSC that is wrong",
		removes: func(s *machine) []situation.Parameter { return s.Parameters("tsc=reliable", "tsc=nowatchdog") },
		advice:  "Remove the parameter that switches off the kernel's checks of the TSC",
		risk:    "The kernel may then choose a slower clock source. It is right to do so."},
	"boot-hpet": {where: func(s *machine) bool {
		return !s.IsGuest() && (s.CouldUse("hpet") || s.LogOnly()) && s.BootChoice().Value == ""
	}, source: "kernel/time/clocksource.c: boot_override_clocksource",
		adds:   "clocksource=hpet",
		advice: "Until then, add clocksource=hpet to the kernel command line",
		risk:   "Each read of a fine clock then enters the kernel, and takes about 1 µs."},
	"remove-acpi-off": {source: "drivers/acpi, arch/x86/kernel/hpet.c: without ACPI the kernel finds neither the HPET nor the PM timer",
		removes: (*situation.Situation).HidesTimers,
		advise: func(s *machine) string {
			var texts []string
			for _, p := range s.HidesTimers() {
				texts = append(texts, p.Text)
			}
			advice := fmt.Sprintf("Remove %s from the kernel command line", words.List(texts))
			if len(s.Host.BootParameters) == 0 {
				advice += " (check with `cat /proc/cmdline`)"
			}
			return advice + ": the kernel needs a timer to measure the rate of the TSC"
		},
		risk: "Somebody may have had a reason: check that the machine starts without it."},
	"find-hidden-timers": {where: func(s *machine) bool { return len(s.Host.BootParameters) == 0 && len(s.HidesTimers()) == 0 }, kernel: true, source: "drivers/acpi, arch/x86/kernel/hpet.c, drivers/clocksource/acpi_pm.c: the parameters that hide timers",
		advice:   "Check the kernel command line for acpi=off, nohpet, hpet=disable and pmtmr=0, and remove what you find: the kernel needs a timer to measure the rate of the TSC",
		commands: []string{"cat /proc/cmdline"}},
	"leave-it": {source: "arch/x86/kernel/tsc.c, drivers/acpi/processor_idle.c, drivers/clocksource/arm_arch_timer.c: what works around a fault must stay",
		advice: "Leave the clock source as it is: the kernel is right. Where the cost of a read matters, read a coarse clock, or read the time less often"},
	"find-stall": {source: "LKML 2026-04-14 (Linux 7.0, d6e152d905bd): a machine stalls, and the watchdog sees a long interval of both clocks",
		advice: "Do nothing to the clocks. Find out what stopped the machine for that long: a kernel with a fault in its timers (update it), System Management Mode, or a pause of the hypervisor"},
	"read-log": {kernel: true, source: "dmesg(1), journalctl(1)",
		advice:   "Read the kernel log as root, and search for the clock source",
		commands: []string{"sudo dmesg | grep -iE 'tsc|clocksource|arch_timer'"}},
	"read-journal": {kernel: true, source: "journalctl(1)",
		advice:   "Read the copy of the log in the journal, and search for the clock source",
		commands: []string{"sudo journalctl -k -b | grep -iE 'tsc|clocksource'"}},
}

// newerKernel returns the remedy for a fault that Linux has no more since a release.
func newerKernel(major, minor int, where func(*machine) bool, source, advice string) remedy {
	return remedy{source: source, advice: advice, risk: upgradeRisk, where: func(s *machine) bool {
		return s.OnX86() && (s.OlderThan(major, minor) || s.LogOnly() && s.Host.Kernel == "") && where(s)
	}}
}

func always(*machine) bool { return true }

// mayBeUnwatched reports whether the kernel knows tsc=nowatchdog, and nothing speaks against the TSC.
func mayBeUnwatched(s *machine) bool {
	return s.OnX86() && !s.OlderThan(5, 2) && !s.DoubtsTSC() && !s.TSCMayStop() && s.Unset("tsc=reliable", "notsc", "tsc=unstable")
}

// mayStopInPC10 reports whether the HPET checked the TSC, and may stop in deep sleep of the package.
func mayStopInPC10(s *machine) bool {
	return !s.IsGuest() && s.CheckedBy("hpet") && (s.Host.CPU.Model == "" || strings.Contains(s.Host.CPU.Model, "Core(TM) i"))
}

const (
	upgradeRisk = "The usual risk of a kernel upgrade."
	silenced    = "If the TSC does drift or differ between CPUs, time runs wrong or jumps back, and nothing notices. Do not do this just to silence a message."
)
