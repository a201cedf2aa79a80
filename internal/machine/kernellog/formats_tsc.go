package kernellog

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
	noCalibration Kind = "tsc-calibration-failed"
	p0Frequency   Kind = "p0-frequency"
	hostUnstable  Kind = "kvm-host-unstable"
	adjusting     Kind = "adjusting-clock"
)

// tscFormats are the messages on the TSC.
var tscFormats = []format{
	// The TSCs of the CPUs, which must agree.
	{
		kind: interCPUSkew, has: "due to inter cpu skew", weight: weightDecides,
		pattern: `Marking clocksource ` + named("clock") + ` unstable due to inter CPU skew`,
		example: "clocksource: Marking clocksource tsc unstable due to inter CPU skew",
	},
	{
		kind: cpuBehind, has: "(cycles)", clock: "tsc", weight: weightDecides,
		pattern: `CPU(?P<cpu>\d+) +(?P<behind>\d+) < CPU(?P<cpus>\d+) +(?P<ahead>\d+) \(cycles\)`,
		example: "clocksource: CPU5   14122310042113 < CPU0   14122310157770 (cycles)",
	},
	{
		kind: cpusAhead, has: "ahead of cpu", weight: weightDecides,
		pattern: `CPUs (?P<cpus>[\d,-]+) ahead of CPU (?P<cpu>\d+) for clocksource ` + named("clock") + `(?:\.|$| )`,
		example: "clocksource:         CPUs 0-1,4 ahead of CPU 3 for clocksource tsc.",
	},
	{
		kind: cpusBehind, has: "behind cpu", weight: weightDecides,
		pattern: `CPUs (?P<cpus>[\d,-]+) behind CPU (?P<cpu>\d+) for clocksource ` + named("clock") + `(?:\.|$| )`,
		example: "clocksource:         CPUs 2 behind CPU 3 for clocksource tsc.",
	},
	{
		kind: syncChecked, has: "synchronization from cpu", weight: weightContext,
		pattern: `Checking clocksource ` + named("clock") + ` synchronization from CPU (?P<cpu>\d+)(?: to CPUs (?P<cpus>[\d,-]+))?`,
		example: "clocksource: Checking clocksource tsc synchronization from CPU 319 to CPUs 0,99,136,180,210,542,601,896.",
	},
	{
		kind: tscWarp, has: "tsc warp between cpus", clock: "tsc", weight: weightDecides,
		pattern: `Measured (?P<cycles>\d+) cycles TSC warp between CPUs`,
		example: "Measured 101526796872 cycles TSC warp between CPUs, turning off TSC clock.",
	},
	{
		kind: tscWarp, has: "warped randomly", clock: "tsc", weight: weightDecides,
		pattern: `TSC warped randomly between CPUs`,
		example: "TSC warped randomly between CPUs",
	},
	{
		kind: syncPair, has: "tsc synchronization", clock: "tsc", weight: weightContext,
		pattern: `(?:checking )?TSC synchronization (?:\[CPU#(?P<cpu>\d+) -> CPU#(?P<cpus>\d+)\]|across)`,
		example: "TSC synchronization [CPU#0 -> CPU#36]:",
	},
	{
		kind: adjustWarp, has: "tsc adjust compensate", clock: "tsc", weight: weightDecides,
		pattern: `TSC ADJUST compensate: CPU(?P<cpu>\d+) observed (?P<cycles>-?\d+) warp\. Adjust: -?\d+`,
		example: "TSC ADJUST compensate: CPU36 observed 95626 warp. Adjust: 95626",
	},
	{
		kind: adjustDiffers, has: "tsc adjust", clock: "tsc", weight: weightDecides,
		pattern: `TSC ADJUST differs(?:: CPU(?P<cpu>\d+) -?\d+ --> (?P<cycles>-?\d+)| within socket)|TSC ADJUST synchronize`,
		example: "[Firmware Bug]: TSC ADJUST differs: CPU15 45960750 --> 78394770. Restoring",
		others:  []string{"TSC ADJUST differs within socket(s), fixing all errors"},
	},
	{
		kind: adjustForced, has: "force", clock: "tsc", weight: weightDecides,
		pattern: `TSC ADJUST: CPU(?P<cpu>\d+): .* (?:NOT )?forced? to 0`,
		example: "[Firmware Bug]: TSC ADJUST: CPU0: -6499023860262 force to 0",
	},
	{
		kind: hostUnstable, has: "guest tsc will not be reliable", clock: "tsc", weight: weightContext,
		pattern: `SMP vm created on host with unstable TSC; guest TSC will not be reliable`,
		example: "kvm: SMP vm created on host with unstable TSC; guest TSC will not be reliable",
	},
	// Its rate, and why it is not used.
	{
		kind: tscUnstable, has: "marking tsc unstable due to", clock: "tsc", weight: weightDecides,
		pattern: `Marking TSC unstable due to:? (?P<reason>.+)`,
		example: "tsc: Marking TSC unstable due to clocksource watchdog",
	},
	{
		kind: tscUnstable, has: "tsc found unstable after boot", clock: "tsc", weight: weightContext,
		pattern: `TSC found unstable after boot`,
		example: "TSC found unstable after boot, most likely due to broken BIOS. Use 'tsc=unstable'.",
	},
	{
		kind: rateDiffers, has: "tsc freq calibrated by cpuid", clock: "tsc", weight: weightDecides,
		pattern: `TSC freq calibrated by CPUID/MSR differs`,
		example: "tsc: Warning: TSC freq calibrated by CPUID/MSR differs from what is calibrated by HW timer, please check with vendor!!",
	},
	{
		kind: rateBefore, has: "previous calibrated tsc freq", clock: "tsc", weight: weightDecides,
		pattern: `Previous calibrated TSC freq:\s+(?P<mhz>\d+\.\d+) MHz`,
		example: "tsc: Previous calibrated TSC freq:         2500.000 MHz",
	},
	{
		kind: rateAfter, has: "tsc freq recalibrated by", clock: "tsc", weight: weightDecides,
		pattern: `TSC freq recalibrated by \[(?P<watchdog>\w+)\]:\s+(?P<mhz>\d+\.\d+) MHz`,
		example: "tsc: TSC freq recalibrated by [HPET]:         2399.967 MHz",
	},
	{
		kind: tscRefined, has: "refined tsc clocksource calibration", clock: "tsc", weight: weightContext,
		pattern: `Refined TSC clocksource calibration: (?P<mhz>\d+\.\d+) MHz`,
		example: "tsc: Refined TSC clocksource calibration: 3999.981 MHz",
	},
	{
		kind: tscRate, has: "detected", clock: "tsc", weight: weightContext,
		pattern: `Detected (?P<mhz>\d+\.\d+) MHz (?P<name>processor|TSC)`,
		example: "tsc: Detected 2596.144 MHz processor",
	},
	{
		kind: noCalibration, has: "tsc", clock: "tsc", weight: weightDecides,
		pattern: `TSC: (?:Unable to calibrate against PIT|No reference \(HPET/PMTIMER\) available|HPET/PMTIMER calibration failed\.$)`,
		example: "TSC: No reference (HPET/PMTIMER) available",
		others:  []string{"TSC: Unable to calibrate against PIT", "TSC: HPET/PMTIMER calibration failed."},
	},
	{
		kind: p0Frequency, has: "p0 frequency", clock: "tsc", weight: weightContext,
		pattern: `TSC doesn't count with P0 frequency`,
		example: "[Firmware Bug]: TSC doesn't count with P0 frequency!",
	},
	{
		kind: adjusting, has: "more than 11%", weight: weightDecides,
		pattern: `Adjusting ` + named("clock") + ` more than 11%`,
		example: "Adjusting tsc more than 11% (8039115 vs 7759462)",
	},
}
