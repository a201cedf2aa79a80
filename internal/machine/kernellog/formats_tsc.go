package kernellog

const (
	tscFile  = "arch/x86/kernel/tsc.c"
	syncFile = "arch/x86/kernel/tsc_sync.c"
)

// The kinds of the TSC's messages.
const (
	interCPUSkew  Kind = "inter-cpu-skew"
	cpuBehind     Kind = "cpu-behind"
	cpusAhead     Kind = "cpus-ahead"
	cpusBehind    Kind = "cpus-behind"
	syncChecked   Kind = "sync-checked"
	syncPair      Kind = "sync-pair"
	tscWarp       Kind = "tsc-warp"
	adjustWarp    Kind = "tsc-adjust-compensate"
	adjustDiffers Kind = "tsc-adjust-differs"
	adjustForced  Kind = "tsc-adjust-forced"
	tscUnstable   Kind = "tsc-unstable"
	tscRate       Kind = "tsc-rate"
	tscRefined    Kind = "tsc-refined"
	rateDiffers   Kind = "tsc-rate-differs"
	rateBefore    Kind = "tsc-rate-before"
	rateAfter     Kind = "tsc-rate-after"
	calibration   Kind = "tsc-calibration"
	noCalibration Kind = "tsc-calibration-failed"
	deviates      Kind = "tsc-calibration-deviates"
	p0Frequency   Kind = "p0-frequency"
	hostUnstable  Kind = "kvm-host-unstable"
	adjusting     Kind = "adjusting-clock"
)

// syncFormats are the messages on the TSCs of the CPUs, which must agree.
var syncFormats = []format{
	{
		kind: interCPUSkew, has: "due to inter cpu skew",
		pattern: `Marking clocksource ` + named("clock") + ` unstable due to inter CPU skew`,
		kernels: "seen in 7.2", source: clocksourceFile, weight: weightDecides,
		example: "clocksource: Marking clocksource tsc unstable due to inter CPU skew",
		meaning: "A CPU read a smaller TSC later than another.",
		harm:    "Time jumps back between CPUs.",
		action:  "Update the firmware, start cold, check with `timebench skew`. Never `tsc=nowatchdog` or `tsc=reliable`.",
	},
	{
		kind: cpuBehind, has: "(cycles)", clock: "tsc",
		pattern: `CPU(?P<cpu>\d+) +(?P<behind>\d+) < CPU(?P<cpus>\d+) +(?P<ahead>\d+) \(cycles\)`,
		kernels: "seen in 7.2", source: clocksourceFile, weight: weightDecides,
		example: "clocksource: CPU5   14122310042113 < CPU0   14122310157770 (cycles)",
	},
	{
		kind: cpusAhead, has: "ahead of cpu",
		pattern: `CPUs (?P<cpus>[\d,-]+) ahead of CPU (?P<cpu>\d+) for clocksource ` + named("clock") + `(?:\.|$| )`,
		kernels: "5.13 to 7.1", source: clocksourceFile, weight: weightDecides,
		example: "clocksource:         CPUs 0-1,4 ahead of CPU 3 for clocksource tsc.",
		meaning: "The TSCs of these CPUs differ.",
		harm:    "Time jumps back between CPUs.",
		action:  "As for inter CPU skew.",
	},
	{
		kind: cpusBehind, has: "behind cpu",
		pattern: `CPUs (?P<cpus>[\d,-]+) behind CPU (?P<cpu>\d+) for clocksource ` + named("clock") + `(?:\.|$| )`,
		kernels: "5.13 to 7.1", source: clocksourceFile, weight: weightDecides,
		example: "clocksource:         CPUs 2 behind CPU 3 for clocksource tsc.",
	},
	{
		kind: syncChecked, has: "synchronization from cpu",
		pattern: `Checking clocksource ` + named("clock") + ` synchronization from CPU (?P<cpu>\d+)(?: to CPUs (?P<cpus>[\d,-]+))?`,
		kernels: "5.13 to 7.1", source: clocksourceFile, weight: weightContext,
		example: "clocksource: Checking clocksource tsc synchronization from CPU 319 to CPUs 0,99,136,180,210,542,601,896.",
		meaning: "Without a line about CPUs ahead or behind, the TSCs agreed.",
	},
	{
		kind: tscWarp, has: "tsc warp between cpus", clock: "tsc",
		pattern: `Measured (?P<cycles>\d+) cycles TSC warp between CPUs`,
		kernels: "since 2.6.21", source: syncFile, weight: weightDecides,
		example: "Measured 101526796872 cycles TSC warp between CPUs, turning off TSC clock.",
		meaning: "While a CPU came up, at boot or resume, the TSC went back from one CPU to the other.",
		harm:    "Time jumps back between CPUs.",
		action:  "Start cold; update the firmware. Never `tsc=reliable`.",
	},
	{
		kind: tscWarp, has: "warped randomly", clock: "tsc", pattern: `TSC warped randomly between CPUs`,
		kernels: "since 4.10", source: syncFile, weight: weightDecides,
		example: "TSC warped randomly between CPUs",
	},
	{
		kind: syncPair, has: "tsc synchronization", clock: "tsc",
		pattern: `(?:checking )?TSC synchronization (?:\[CPU#(?P<cpu>\d+) -> CPU#(?P<cpus>\d+)\]|across)`,
		kernels: "since 2.6.21", source: syncFile, weight: weightContext,
		example: "TSC synchronization [CPU#0 -> CPU#36]:",
		meaning: "With \"passed\" in the next line, the TSCs agree.",
	},
	{
		kind: "tsc-skew-fixed", has: "tsc skew", clock: "tsc", pattern: `CPU#(?P<cpu>\d+) had -?\d+ usecs TSC skew`,
		kernels: "to 2.6.20", source: "arch/i386/kernel/smpboot.c", weight: weightContext,
		example: "CPU#1 had -5 usecs TSC skew, fixed it up.",
		meaning: "Old kernels wrote the TSCs to make them agree.",
		harm:    "Usually harmless.",
	},
	{
		kind: adjustWarp, has: "tsc adjust compensate", clock: "tsc",
		pattern: `TSC ADJUST compensate: CPU(?P<cpu>\d+) observed (?P<cycles>-?\d+) warp\. Adjust: -?\d+`,
		kernels: "since 4.10", source: syncFile, weight: weightDecides,
		example: "TSC ADJUST compensate: CPU36 observed 95626 warp. Adjust: 95626",
		meaning: "This CPU started with a TSC that was behind; the kernel corrected it.",
		harm:    "Harmless if no TSC warp follows.",
		action:  "Start cold; update the firmware. Never `tsc=reliable`.",
	},
	{
		kind: adjustDiffers, has: "tsc adjust", clock: "tsc",
		pattern: `TSC ADJUST differs(?:: CPU(?P<cpu>\d+) -?\d+ --> (?P<cycles>-?\d+)| within socket)|TSC ADJUST synchronize`,
		kernels: "since 4.10", source: syncFile, weight: weightDecides,
		example: "[Firmware Bug]: TSC ADJUST differs: CPU15 45960750 --> 78394770. Restoring",
		others:  []string{"TSC ADJUST differs within socket(s), fixing all errors"},
		meaning: "Firmware changed the TSC at boot, in SMM or at resume. The kernel put it back.",
		harm:    "Until then the TSCs differ.",
		action:  "Update the firmware. Never `tsc=reliable`.",
	},
	{
		kind: adjustForced, has: "force", clock: "tsc",
		pattern: `TSC ADJUST: CPU(?P<cpu>\d+): .* (?:NOT )?forced? to 0`,
		kernels: "since 4.10", source: syncFile, weight: weightDecides,
		example: "[Firmware Bug]: TSC ADJUST: CPU0: -6499023860262 force to 0",
		meaning: "Firmware wrote the TSC before the kernel started.",
		harm:    "Usually harmless.",
		action:  "Update the firmware. Never `tsc=reliable`.",
	},
	{
		kind: "sync-not-checked", has: "skipped synchronization checks", clock: "tsc", pattern: `Skipped synchronization checks as TSC is reliable`,
		kernels: "2.6.29 to 4.x", source: syncFile, weight: weightContext,
		example: "Skipped synchronization checks as TSC is reliable.",
		meaning: "The hypervisor or `tsc=reliable` declares the TSC reliable, so the kernel does not check it.",
		harm:    "Harmless if that is right.",
	},
	{
		kind: hostUnstable, has: "guest tsc will not be reliable", clock: "tsc", pattern: `SMP vm created on host with unstable TSC; guest TSC will not be reliable`,
		kernels: "since 2.6.38", source: "arch/x86/kvm/x86.c", weight: weightContext,
		example: "kvm: SMP vm created on host with unstable TSC; guest TSC will not be reliable",
		meaning: "This host does not trust its own TSC.",
		harm:    "Slow reads in the guests.",
		action:  "Find out why.",
	},
}

// tscFormats are the other messages on the TSC: its rate, and why it is not used.
var tscFormats = []format{
	{
		kind: tscUnstable, has: "marking tsc unstable due to", clock: "tsc",
		pattern: `Marking TSC unstable due to:? (?P<reason>.+)`,
		kernels: "since 2.6.21; with a colon to 2.6.25", source: tscFile, weight: weightDecides,
		example: "tsc: Marking TSC unstable due to clocksource watchdog",
		meaning: "The kernel stops using the TSC until the next boot. \"TSC halts in idle\", \"cpufreq changes\": a property of old CPUs. \"TSCs unsynchronized\": assumed, not measured. \"running on Hyper-V\": intended. \"could not calculate TSC khz\": no timer to measure it with.",
		harm:    "It depends on the reason.",
	},
	{
		kind: tscUnstable, has: "tsc found unstable after boot", clock: "tsc",
		pattern: `TSC found unstable after boot`,
		kernels: "since 4.12", source: tscFile, weight: weightContext,
		example: "TSC found unstable after boot, most likely due to broken BIOS. Use 'tsc=unstable'.",
		meaning: "Printed whenever the kernel gives up the TSC after boot. \"Broken BIOS\" is a guess.",
		harm:    "The same as of the lines before it.",
		action:  "No `tsc=unstable`, which makes it permanent, unless the TSC is really wrong.",
	},
	{
		kind: rateDiffers, has: "tsc freq calibrated by cpuid", clock: "tsc", pattern: `TSC freq calibrated by CPUID/MSR differs`,
		kernels: "since 6.3", source: tscFile, weight: weightDecides,
		example: "tsc: Warning: TSC freq calibrated by CPUID/MSR differs from what is calibrated by HW timer, please check with vendor!!",
		meaning: "A timer contradicts the TSC rate that the CPU names (CPUID leaf 15H), which the kernel keeps.",
		harm:    "Time runs wrong.",
		action:  "Update the firmware; until then `clocksource=hpet`. Never `tsc=reliable` or `tsc=nowatchdog`.",
	},
	{
		kind: rateBefore, has: "previous calibrated tsc freq", clock: "tsc", pattern: `Previous calibrated TSC freq:\s+(?P<mhz>\d+\.\d+) MHz`,
		kernels: "since 6.3", source: tscFile, weight: weightDecides,
		example: "tsc: Previous calibrated TSC freq:         2500.000 MHz",
	},
	{
		kind: rateAfter, has: "tsc freq recalibrated by", clock: "tsc", pattern: `TSC freq recalibrated by \[(?P<watchdog>\w+)\]:\s+(?P<mhz>\d+\.\d+) MHz`,
		kernels: "since 6.3", source: tscFile, weight: weightDecides,
		example: "tsc: TSC freq recalibrated by [HPET]:         2399.967 MHz",
	},
	{
		kind: tscRefined, has: "refined tsc clocksource calibration", clock: "tsc", pattern: `Refined TSC clocksource calibration: (?P<mhz>\d+\.\d+) MHz`,
		kernels: "since 2.6.38", source: tscFile, weight: weightContext,
		example: "tsc: Refined TSC clocksource calibration: 3999.981 MHz",
		meaning: "The rate of the TSC, not the CPU's speed of the moment.",
	},
	{
		kind: tscRate, has: "detected", clock: "tsc", pattern: `Detected (?P<mhz>\d+\.\d+) MHz (?P<name>processor|TSC)`,
		kernels: "all", source: tscFile, weight: weightContext,
		example: "tsc: Detected 2596.144 MHz processor",
	},
	{
		kind: noCalibration, has: "tsc", clock: "tsc", pattern: `TSC: (?:Unable to calibrate against PIT|No reference \(HPET/PMTIMER\) available|HPET/PMTIMER calibration failed\.$)`,
		kernels: "since 2.6.27", source: tscFile, weight: weightDecides,
		example: "TSC: No reference (HPET/PMTIMER) available",
		others:  []string{"TSC: Unable to calibrate against PIT", "TSC: HPET/PMTIMER calibration failed."},
		meaning: "No timer to measure the rate of the TSC with.",
		harm:    "Harmless unless \"could not calculate TSC khz\" follows.",
		action:  "Remove the parameters `acpi=off`, `nohpet`, `hpet=disable`, `pmtmr=0`.",
	},
	{
		kind: deviates, has: "calibration deviates", clock: "tsc", pattern: `PIT calibration deviates from (?P<watchdog>\w+): \d+ \d+`,
		kernels: "since 2.6.27", source: tscFile, weight: weightContext,
		example: "TSC: PIT calibration deviates from PMTIMER: 2194443 4388900.",
		meaning: "Two timers disagree on the TSC's rate. The kernel refines it later.",
		harm:    "Usually harmless.",
	},
	{
		kind: calibration, has: "calibration", clock: "tsc", pattern: `(?:TSC|tsc).*\bcalibration\b|PIT calibration matches`,
		kernels: "since 2.6.27", source: tscFile, weight: weightContext,
		example: "tsc: Fast TSC calibration using PIT",
		others:  []string{"tsc: Fast TSC calibration failed"},
		meaning: "How the kernel first estimated the TSC's rate, or that it could not.",
	},
	{
		kind: p0Frequency, has: "p0 frequency", clock: "tsc", pattern: `TSC doesn't count with P0 frequency`,
		kernels: "since 3.17", source: "arch/x86/kernel/cpu/amd.c", weight: weightContext,
		example: "[Firmware Bug]: TSC doesn't count with P0 frequency!",
		meaning: "A bit of an AMD CPU (HWCR 24) is not set; hypervisors never set it.",
	},
	{
		kind: "tsc-deadline-timer", has: "deadline", clock: "tsc", pattern: `TSC[_ ]deadline`,
		kernels: "since 3.8", source: "arch/x86/kernel/apic/apic.c", weight: weightNoise,
		example: "TSC deadline timer available",
		others:  []string{"[Firmware Bug]: TSC_DEADLINE disabled due to Errata; please update microcode to version: 0x22 (or later)"},
		meaning: "About timer interrupts, not about reading the time.",
	},
	{
		kind: adjusting, has: "more than 11%", pattern: `Adjusting ` + named("clock") + ` more than 11%`,
		kernels: "since 3.3", source: "kernel/time/timekeeping.c", weight: weightDecides,
		example: "Adjusting tsc more than 11% (8039115 vs 7759462)",
		meaning: "A time service corrects the clock by more than 11 %.",
		harm:    "Time runs wrong.",
		action:  "Check with `timebench drift`, and which service adjusts the clock.",
	},
	{
		kind: "sched-clock", has: "sched_clock", pattern: `sched_clock: Marking (?:un)?stable`,
		kernels: "since 4.12", source: "kernel/sched/clock.c", weight: weightNoise,
		example: "sched_clock: Marking unstable (2515210507, -8992143)<-(2514285716, -8067321)",
		meaning: "The scheduler's clock follows the verdict on the TSC.",
		harm:    "The same as of the lines before it.",
	},
}
