package kernellog

const clocksourceFile = "kernel/time/clocksource.c"

// The kinds of the watchdog's messages.
const (
	watchdogVerdict  Kind = "watchdog-verdict"
	watchdogInterval Kind = "watchdog-interval"
	clockInterval    Kind = "clock-interval"
	watchdogSkew     Kind = "watchdog-skew"
	watchdogDelta    Kind = "watchdog-delta"
	frequencySkew    Kind = "frequency-skew"
	readBackDelay    Kind = "read-back-delay"
	readBackSkipped  Kind = "read-back-skipped"
	readTimedOut     Kind = "read-timed-out"
	longReadout      Kind = "long-readout"
	lostTicks        Kind = "lost-ticks"
)

// watchdogFormats are the messages of the watchdog, which compares a clock source with another one every half
// second. The words of a kernel are told by the line, never by the version: stable kernels take changes back.
var watchdogFormats = []format{
	{
		kind: watchdogVerdict, has: "because the skew is too large",
		pattern: `timekeeping watchdog(?: on CPU(?P<cpu>\d+))?: Marking clocksource ` + named("clock") + ` as unstable,? because the skew is too large`,
		kernels: "4.1 to 7.1; with the CPU since 4.9", source: clocksourceFile, weight: weightDecides,
		example: "clocksource: timekeeping watchdog on CPU0: Marking clocksource 'tsc' as unstable because the skew is too large:",
		meaning: "The watchdog compared the TSC with another clock, and they differed. The kernel stops using the TSC until the next boot. The next lines show which was wrong.",
		harm:    "Slow reads, though often the TSC was right.",
		action:  "Run doctor. No `tsc=nowatchdog` or `tsc=reliable` before you know.",
	},
	{
		kind: watchdogInterval, has: "wd_now:",
		pattern: named("clock") + ` (?:wd_nsec: (?P<ns>-?\d+) )?wd_now: (?P<now>(?:0x)?[0-9a-f]{1,16}) wd_last: (?P<last>(?:0x)?[0-9a-f]{1,16}) mask: (?P<mask>(?:0x)?[0-9a-f]{1,16})`,
		kernels: "4.1 to 7.1; with wd_nsec since 5.13", source: clocksourceFile, weight: weightDecides,
		example: "clocksource:                       'hpet' wd_nsec: 495115789 wd_now: 22a1e0a wd_last: 1bdf205 mask: ffffffff",
		meaning: "What the watchdog counted between two checks, due every 0.5 s. Much longer: the machine stood still. With mask ffffff (acpi_pm) it wraps after 4.69 s.",
		harm:    "The same as of the first message of this section.",
	},
	{
		kind: clockInterval, has: "cs_now:",
		pattern: named("clock") + ` (?:cs_nsec: (?P<ns>-?\d+) )?cs_now: (?P<now>(?:0x)?[0-9a-f]{1,16}) cs_last: (?P<last>(?:0x)?[0-9a-f]{1,16}) mask: (?P<mask>(?:0x)?[0-9a-f]{1,16})`,
		kernels: "4.1 to 7.1; with cs_nsec since 5.13", source: clocksourceFile, weight: weightDecides,
		example: "clocksource:                       'tsc' cs_nsec: 5320282620 cs_now: 1cbab6bece cs_last: 19231a48ea mask: ffffffffffffffff",
		meaning: "What the TSC counted meanwhile. cs_now below cs_last, or cs_nsec 0: it went back or stood still.",
		harm:    "The same as of the first message of this section.",
	},
	{
		kind: watchdogSkew, has: "skewed",
		pattern: `Clocksource ` + named("clock") + ` skewed (?P<skew>-?\d+) ns \(-?\d+ ms\) over watchdog ` + named("watchdog") + ` interval of (?P<wdns>-?\d+) ns`,
		kernels: "6.3 to 7.1", source: clocksourceFile, weight: weightDecides,
		example: "clocksource:                       Clocksource 'tsc' skewed 4687076445 ns (4687 ms) over watchdog 'acpi_pm' interval of 633206175 ns (633 ms)",
		meaning: "The difference. One round of the watchdog, 4687 ms of acpi_pm or 300 s of hpet: the TSC is right. Negative and as long as the interval: the TSC went back.",
		harm:    "The same as of the first message of this section.",
	},
	{
		kind: watchdogDelta, has: "unstable (delta",
		pattern: `Clocksource ` + named("clock") + ` unstable \(delta = (?P<skew>-?\d+) ns\)`,
		kernels: "2.6.21 to 4.0", source: clocksourceFile, weight: weightDecides,
		example: "Clocksource tsc unstable (delta = -131624372 ns)",
		meaning: "The same in old kernels: TSC minus watchdog. It only confirms an earlier \"TSC halts in idle\" or \"cpufreq changes\".",
		harm:    "Slow reads.",
	},
	{
		kind: frequencySkew, has: "due to frequency skew",
		pattern: `Marking clocksource ` + named("clock") + ` unstable due to frequency skew`,
		kernels: "seen in 7.2", source: clocksourceFile, weight: weightDecides,
		example: "clocksource: Marking clocksource tsc unstable due to frequency skew",
		meaning: "The first message in new kernels, with the intervals of watchdog and TSC.",
		harm:    "Slow reads, though often the TSC was right.",
	},
	{
		kind: watchdogInterval, has: "interval:",
		pattern: `Watchdog +` + named("clock") + ` interval: +(?P<ns>\d+) ?ns`,
		kernels: "seen in 7.2", source: clocksourceFile, weight: weightDecides,
		example: "clocksource: Watchdog               kvm-clock interval:        503995129ns",
	},
	{
		kind: clockInterval, has: "interval:",
		pattern: `Clocksource +` + named("clock") + ` interval: +(?P<ns>\d+) ?ns`,
		kernels: "seen in 7.2", source: clocksourceFile, weight: weightDecides,
		example: "clocksource: Clocksource                  tsc interval:       1894661885ns",
	},
	{
		kind: "current-clocksource", has: "current clocksource",
		pattern: named("name") + ` (?:\(not ` + named("clock") + `\) )?is current clocksource|No current clocksource`,
		kernels: "5.14 to 7.1", source: clocksourceFile, weight: weightContext,
		example: "clocksource:                       'tsc' is current clocksource.",
		others:  []string{"clocksource: 'hpet' (not 'tsc') is current clocksource", "clocksource: No current clocksource."},
		meaning: "The clock source in use at that moment.",
	},
	{
		kind: readBackDelay, has: "read-back delay",
		pattern: `timekeeping watchdog(?: on CPU(?P<cpu>\d+))?: (?:wd-` + named("clock") + `-wd|` + named("watchdog") + `)(?: excessive)? read-back delay (?:of )?(?:(?P<delay>\d+) ?ns)?(?: vs\. limit of (?P<limit>\d+) ?ns)?`,
		kernels: "5.13 to 7.1; with the limit since 6.3", source: clocksourceFile, weight: weightDecides,
		example: "clocksource: timekeeping watchdog on CPU227: wd-tsc-wd excessive read-back delay of 153560ns vs. limit of 125000ns, wd-wd read-back delay only 11440ns, attempt 3, marking tsc unstable",
		meaning: "The watchdog could not read its own timer fast enough, and gave the TSC up uncompared. Seen with many sockets and in nested virtual machines.",
		harm:    "Slow reads.",
		action:  "Use Linux 6.9 or later; check the load of a virtual machine's host.",
	},
	{
		kind: readBackSkipped, has: "read-back delay",
		pattern: `(?:wd-` + named("clock") + `-wd|` + named("watchdog") + ` wd-wd) read-back delay of (?P<delay>\d+) ?ns`,
		kernels: "5.17 to 7.1", source: clocksourceFile, weight: weightContext,
		example: "clocksource: wd-tsc-wd read-back delay of 246120ns, clock-skew test skipped!",
		meaning: "The check was slow or late: the machine was busy or paused. The kernel skips or repeats it.",
	},
	{
		kind: readBackSkipped, has: "times before success",
		pattern: `timekeeping watchdog(?: on CPU(?P<cpu>\d+))?: ` + named("watchdog") + ` retried \d+ times before success`,
		kernels: "5.13 to 7.1", source: clocksourceFile, weight: weightContext,
		example: "clocksource: timekeeping watchdog on CPU0: kvm-clock retried 2 times before success",
	},
	{
		kind: readTimedOut, has: "read timed out",
		pattern: `Watchdog (?:remote CPU (?P<cpu>\d+)|` + named("watchdog") + `) read timed out(?:\. Readout sequence took: (?P<delay>\d+) ?ns)?`,
		kernels: "seen in 7.2", source: clocksourceFile, weight: weightContext,
		example: "clocksource: Watchdog hpet read timed out. Readout sequence took: 312004ns",
	},
	{
		kind: longReadout, has: "long readout interval", clock: "tsc",
		pattern: `Long readout interval, skipping watchdog check: cs_nsec: (?P<ns>-?\d+) wd_nsec: (?P<wdns>-?\d+)`,
		kernels: "6.8 to 7.1", source: clocksourceFile, weight: weightContext,
		example: "clocksource: Long readout interval, skipping watchdog check: cs_nsec: 2897344852 wd_nsec: 2897356996",
	},
	{
		kind: lostTicks, has: "lost ticks", pattern: `many lost ticks`, clock: "tsc",
		kernels: "to 2.6.20 (x86_64)", source: "arch/x86_64/kernel/time.c", weight: weightDecides,
		example: "warning: many lost ticks.",
		meaning: "Timer interrupts came too late: a driver, firmware (SMI), a changing TSC rate.",
		harm:    "Time may run wrong.",
		action:  "Use a kernel of this decade.",
	},
	{
		kind: lostTicks, has: "time source seems to be instable", pattern: `Your time source seems to be instable`, clock: "tsc",
		kernels: "to 2.6.20 (x86_64)", source: "arch/x86_64/kernel/time.c", weight: weightDecides,
		example: "Your time source seems to be instable or some driver is hogging interupts",
	},
	{
		kind: lostTicks, has: "too many ticks", pattern: `Loo?sing too many ticks`, clock: "tsc",
		kernels: "2.6.0 to 2.6.17 (i386)", source: "arch/i386/kernel/timers/timer_tsc.c", weight: weightDecides,
		example: "Losing too many ticks!",
	},
	{
		kind: lostTicks, has: "cannot be used as a timesource", pattern: `TSC cannot be used as a timesource`, clock: "tsc",
		kernels: "2.6.0 to 2.6.17 (i386)", source: "arch/i386/kernel/timers/timer_tsc.c", weight: weightDecides,
		example: "TSC cannot be used as a timesource.",
	},
}
