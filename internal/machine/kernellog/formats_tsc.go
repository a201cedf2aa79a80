package kernellog

// The kinds of the TSC's messages.
const (
	interCPUSkew  Kind = "inter-cpu-skew"
	cpusAhead     Kind = "cpus-ahead"
	cpusBehind    Kind = "cpus-behind"
	tscWarp       Kind = "tsc-warp"
	adjustWarp    Kind = "tsc-adjust-compensate"
	adjustDiffers Kind = "tsc-adjust-differs"
	adjustForced  Kind = "tsc-adjust-forced"
	tscUnstable   Kind = "tsc-unstable"
	tscRate       Kind = "tsc-rate"
	tscRefined    Kind = "tsc-refined"
	rateDiffers   Kind = "tsc-rate-differs"
	rateBefore    Kind = "tsc-rate-before"
	bogoMIPS      Kind = "bogomips"
)

// tscFormats are the messages on the TSC.
var tscFormats = []format{
	// The TSCs of the CPUs, which must agree.
	{kind: interCPUSkew, has: "due to inter cpu skew", weight: weightDecides, pattern: `Marking clocksource ` + named("clock") + ` unstable due to inter CPU skew`},
	{kind: "cpu-behind", has: "(cycles)", clock: "tsc", weight: weightDecides, pattern: `CPU(?P<cpu>\d+) +(?P<behind>\d+) < CPU(?P<cpus>\d+) +(?P<ahead>\d+) \(cycles\)`},
	{kind: cpusAhead, has: "ahead of cpu", weight: weightDecides, pattern: `CPUs (?P<cpus>[\d,-]+) ahead of CPU (?P<cpu>\d+) for clocksource ` + named("clock") + `(?:\.|$| )`},
	{kind: cpusBehind, has: "behind cpu", weight: weightDecides, pattern: `CPUs (?P<cpus>[\d,-]+) behind CPU (?P<cpu>\d+) for clocksource ` + named("clock") + `(?:\.|$| )`},
	{kind: "sync-checked", has: "synchronization from cpu", weight: weightContext, pattern: `Checking clocksource ` + named("clock") + ` synchronization from CPU (?P<cpu>\d+)(?: to CPUs (?P<cpus>[\d,-]+))?`},
	{kind: tscWarp, has: "tsc warp between cpus", clock: "tsc", weight: weightDecides, pattern: `Measured (?P<cycles>\d+) cycles TSC warp between CPUs`},
	{kind: tscWarp, has: "warped randomly", clock: "tsc", weight: weightDecides, pattern: `TSC warped randomly between CPUs`},
	{kind: "sync-pair", has: "tsc synchronization", clock: "tsc", weight: weightContext, pattern: `(?:checking )?TSC synchronization (?:\[CPU#(?P<cpu>\d+) -> CPU#(?P<cpus>\d+)\]|across)`},
	{kind: adjustWarp, has: "tsc adjust compensate", clock: "tsc", weight: weightDecides, pattern: `TSC ADJUST compensate: CPU(?P<cpu>\d+) observed (?P<cycles>-?\d+) warp\. Adjust: -?\d+`},
	{kind: adjustDiffers, has: "tsc adjust", clock: "tsc", weight: weightDecides, pattern: `TSC ADJUST differs(?:: CPU(?P<cpu>\d+) -?\d+ --> (?P<cycles>-?\d+)| within socket)|TSC ADJUST synchronize`},
	{kind: adjustForced, has: "force", clock: "tsc", weight: weightDecides, pattern: `TSC ADJUST: CPU(?P<cpu>\d+): .* (?:NOT )?forced? to 0`},
	{kind: "host-unstable", has: "guest tsc will not be reliable", clock: "tsc", weight: weightContext, pattern: `SMP vm created on host with unstable TSC; guest TSC will not be reliable`},
	// Its rate, and why it is not used.
	{kind: tscUnstable, has: "marking tsc unstable due to", clock: "tsc", weight: weightDecides, pattern: `Marking TSC unstable due to:? (?P<reason>.+)`},
	{kind: tscUnstable, has: "tsc found unstable after boot", clock: "tsc", weight: weightContext, pattern: `TSC found unstable after boot`},
	{kind: rateDiffers, has: "tsc freq calibrated by cpuid", clock: "tsc", weight: weightDecides, pattern: `TSC freq calibrated by CPUID/MSR differs`},
	{kind: rateBefore, has: "previous calibrated tsc freq", clock: "tsc", weight: weightDecides, pattern: `Previous calibrated TSC freq:\s+(?P<mhz>\d{1,7}\.\d+) MHz`},
	{kind: "tsc-rate-after", has: "tsc freq recalibrated by", clock: "tsc", weight: weightDecides, pattern: `TSC freq recalibrated by \[(?P<watchdog>\w+)\]:\s+(?P<mhz>\d{1,7}\.\d+) MHz`},
	{kind: tscRefined, has: "refined tsc clocksource calibration", clock: "tsc", weight: weightContext, pattern: `Refined TSC clocksource calibration: (?P<mhz>\d{1,7}\.\d+) MHz`},
	{kind: tscRate, has: "detected", clock: "tsc", weight: weightContext, pattern: `Detected (?P<mhz>\d{1,7}\.\d+) MHz (?P<name>processor|TSC)`},
	{kind: bogoMIPS, has: "bogomips", clock: "tsc", weight: weightContext, pattern: `Calibrating delay (?:loop \(skipped\), value calculated using timer frequency|using timer specific routine)\.\. (?P<bogomips>\d+\.\d+) BogoMIPS(?: \(lpj=(?P<lpj>\d+)\))?`},
	{kind: bogoMIPS, has: "bogomips", clock: "tsc", weight: weightContext, pattern: `smpboot: Total of (?P<of>\d+) processors activated \((?P<bogomips>\d+\.\d+) BogoMIPS\)`},
	{kind: "tsc-calibration-failed", has: "tsc", clock: "tsc", weight: weightDecides, pattern: `TSC: (?:Unable to calibrate against PIT|No reference \(HPET/PMTIMER\) available|HPET/PMTIMER calibration failed\.$)`},
	{kind: "deadline-erratum", has: "tsc_deadline", clock: "tsc", weight: weightContext, pattern: `TSC_DEADLINE disabled due to Errata`},
	{kind: "p0-frequency", has: "p0 frequency", clock: "tsc", weight: weightContext, pattern: `TSC doesn't count with P0 frequency`},
	{kind: "adjusting-clock", has: "more than 11%", weight: weightDecides, pattern: `Adjusting ` + named("clock") + ` more than 11%(?: \((?P<ahead>\d+) vs (?P<behind>\d+)\))?`},
}
