package kernellog

// The kinds of the watchdog's messages.
const (
	watchdogVerdict  Kind = "watchdog-verdict"
	watchdogInterval Kind = "watchdog-interval"
	clockInterval    Kind = "clock-interval"
	watchdogSkew     Kind = "watchdog-skew"
	watchdogDelta    Kind = "watchdog-delta"
	frequencySkew    Kind = "frequency-skew"
	readBackDelay    Kind = "read-back-delay"
	readTimedOut     Kind = "read-timed-out"
	longReadout      Kind = "long-readout"
)

// watchdogFormats are the messages of the watchdog, which compares a clock source with another one every half
// second. The words of a kernel are told by the line, never by the version: stable kernels take changes back.
var watchdogFormats = []format{
	{
		kind: watchdogVerdict, has: "because the skew is too large", weight: weightDecides,
		pattern: `timekeeping watchdog(?: on CPU(?P<cpu>\d+))?: Marking clocksource ` + named("clock") + ` as unstable,? because the skew is too large`,
		example: "clocksource: timekeeping watchdog on CPU0: Marking clocksource 'tsc' as unstable because the skew is too large:",
	},
	{
		kind: watchdogInterval, has: "wd_now:", weight: weightDecides,
		pattern: named("clock") + ` (?:wd_nsec: (?P<ns>-?\d+) )?wd_now: (?P<now>(?:0x)?[0-9a-f]{1,16}) wd_last: (?P<last>(?:0x)?[0-9a-f]{1,16}) mask: (?P<mask>(?:0x)?[0-9a-f]{1,16})`,
		example: "clocksource:                       'hpet' wd_nsec: 495115789 wd_now: 22a1e0a wd_last: 1bdf205 mask: ffffffff",
	},
	{
		kind: clockInterval, has: "cs_now:", weight: weightDecides,
		pattern: named("clock") + ` (?:cs_nsec: (?P<ns>-?\d+) )?cs_now: (?P<now>(?:0x)?[0-9a-f]{1,16}) cs_last: (?P<last>(?:0x)?[0-9a-f]{1,16}) mask: (?P<mask>(?:0x)?[0-9a-f]{1,16})`,
		example: "clocksource:                       'tsc' cs_nsec: 5320282620 cs_now: 1cbab6bece cs_last: 19231a48ea mask: ffffffffffffffff",
	},
	{
		kind: watchdogSkew, has: "skewed", weight: weightDecides,
		pattern: `Clocksource ` + named("clock") + ` skewed (?P<skew>-?\d+) ns \(-?\d+ ms\) over watchdog ` + named("watchdog") + ` interval of (?P<wdns>-?\d+) ns`,
		example: "clocksource:                       Clocksource 'tsc' skewed 4687076445 ns (4687 ms) over watchdog 'acpi_pm' interval of 633206175 ns (633 ms)",
	},
	{
		kind: watchdogDelta, has: "unstable (delta", weight: weightDecides,
		pattern: `Clocksource ` + named("clock") + ` unstable \(delta = (?P<skew>-?\d+) ns\)`,
		example: "Clocksource tsc unstable (delta = -131624372 ns)",
	},
	{
		kind: frequencySkew, has: "due to frequency skew", weight: weightDecides,
		pattern: `Marking clocksource ` + named("clock") + ` unstable due to frequency skew`,
		example: "clocksource: Marking clocksource tsc unstable due to frequency skew",
	},
	{
		kind: watchdogInterval, has: "interval:", weight: weightDecides,
		pattern: `Watchdog +` + named("clock") + ` interval: +(?P<ns>\d+) ?ns`,
		example: "clocksource: Watchdog               kvm-clock interval:        503995129ns",
	},
	{
		kind: clockInterval, has: "interval:", weight: weightDecides,
		pattern: `Clocksource +` + named("clock") + ` interval: +(?P<ns>\d+) ?ns`,
		example: "clocksource: Clocksource                  tsc interval:       1894661885ns",
	},
	{
		kind: readBackDelay, has: "read-back delay", weight: weightDecides,
		pattern: `timekeeping watchdog(?: on CPU(?P<cpu>\d+))?: (?:wd-` + named("clock") + `-wd|` + named("watchdog") + `)(?: excessive)? read-back delay (?:of )?(?:(?P<delay>\d+) ?ns)?(?: vs\. limit of (?P<limit>\d+) ?ns)?`,
		example: "clocksource: timekeeping watchdog on CPU227: wd-tsc-wd excessive read-back delay of 153560ns vs. limit of 125000ns, wd-wd read-back delay only 11440ns, attempt 3, marking tsc unstable",
	},
	{
		kind: readTimedOut, has: "read timed out", weight: weightContext,
		pattern: `Watchdog (?:remote CPU (?P<cpu>\d+)|` + named("watchdog") + `) read timed out(?:\. Readout sequence took: (?P<delay>\d+) ?ns)?`,
		example: "clocksource: Watchdog hpet read timed out. Readout sequence took: 312004ns",
	},
	{
		kind: longReadout, has: "long readout interval", clock: "tsc", weight: weightContext,
		pattern: `Long readout interval, skipping watchdog check: cs_nsec: (?P<ns>-?\d+) wd_nsec: (?P<wdns>-?\d+)`,
		example: "clocksource: Long readout interval, skipping watchdog check: cs_nsec: 2897344852 wd_nsec: 2897356996",
	},
}
