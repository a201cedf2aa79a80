package kernellog

import (
	"slices"
	"strings"
)

// The kinds of the watchdog's messages.
const (
	watchdogVerdict  Kind = "watchdog-verdict"
	watchdogInterval Kind = "watchdog-interval"
	clockInterval    Kind = "clock-interval"
	watchdogDelta    Kind = "watchdog-delta"
	frequencySkew    Kind = "frequency-skew"
	readBackDelay    Kind = "read-back-delay"
	longReadout      Kind = "long-readout"
	selfTest         Kind = "watchdog-test"
	stampBack        Kind = "stamps-go-back"
)

// watchdogFormats are the messages of the watchdog, which compares a clock source with another one every half second. A
// line shows the words of its kernel; the version does not, because stable kernels have backports.
var watchdogFormats = []format{
	{kind: watchdogVerdict, has: "because the skew is too large", weight: weightDecides, pattern: `timekeeping watchdog(?: on CPU(?P<cpu>\d+))?: Marking clocksource ` + named("clock") + ` as unstable,? because the skew is too large`},
	{kind: watchdogInterval, has: "wd_now:", weight: weightDecides, pattern: named("clock") + ` (?:wd_nsec: (?P<ns>-?\d+) )?wd_now: (?P<now>(?:0x)?[0-9a-f]{1,16}) wd_last: (?P<last>(?:0x)?[0-9a-f]{1,16}) mask: (?P<mask>(?:0x)?[0-9a-f]{1,16})`},
	{kind: clockInterval, has: "cs_now:", weight: weightDecides, pattern: named("clock") + ` (?:cs_nsec: (?P<ns>-?\d+) )?cs_now: (?P<now>(?:0x)?[0-9a-f]{1,16}) cs_last: (?P<last>(?:0x)?[0-9a-f]{1,16}) mask: (?P<mask>(?:0x)?[0-9a-f]{1,16})`},
	{kind: "watchdog-skew", has: "skewed", weight: weightDecides, pattern: `Clocksource ` + named("clock") + ` skewed (?P<skew>-?\d+) ns \(-?\d+ ms\) over watchdog ` + named("watchdog") + ` interval of (?P<wdns>-?\d+) ns`},
	// RHEL 6 marks nothing
	{kind: "watchdog-reported", has: "enable clocksource failover", weight: weightContext, pattern: `Clocksource ` + named("clock") + ` unstable \(delta = (?P<skew>-?\d+) ns\)\.\s+Enable clocksource failover`},
	{kind: watchdogDelta, has: "unstable (delta", weight: weightDecides, pattern: `Clocksource ` + named("clock") + ` unstable \(delta = (?P<skew>-?\d+) ns\)`},
	{kind: frequencySkew, has: "due to frequency skew", weight: weightDecides, pattern: `Marking clocksource ` + named("clock") + ` unstable due to frequency skew`},
	{kind: watchdogInterval, has: "interval:", weight: weightDecides, pattern: `Watchdog +` + named("clock") + ` interval: +(?P<ns>\d+) ?ns`},
	{kind: clockInterval, has: "interval:", weight: weightDecides, pattern: `Clocksource +` + named("clock") + ` interval: +(?P<ns>\d+) ?ns`},
	{kind: readBackDelay, has: "read-back delay", clock: "tsc", weight: weightDecides, pattern: `timekeeping watchdog(?: on CPU(?P<cpu>\d+))?: (?:wd-` + named("clock") + `-wd|` + named("watchdog") + `)(?: excessive)? read-back delay (?:of )?(?:(?P<delay>\d+) ?ns)?(?: vs\. limit of (?P<limit>\d+) ?ns)?`},
	{kind: "read-timed-out", has: "read timed out", weight: weightContext, pattern: `Watchdog (?:remote CPU (?P<cpu>\d+)|` + named("watchdog") + `) read timed out(?:\. Readout sequence took: (?P<delay>\d+) ?ns)?`},
	{kind: "read-timed-out", has: "read-back delay of", weight: weightContext, pattern: `(?:timekeeping watchdog on CPU(?P<cpu>\d+): ` + named("watchdog") + ` wd-wd|wd-` + named("clock") + `-wd) read-back delay of (?P<delay>\d+) ?ns`},
	{kind: longReadout, has: "long readout interval", clock: "tsc", weight: weightContext, pattern: `Long readout interval, skipping watchdog check: cs_nsec: (?P<ns>-?\d+) wd_nsec: (?P<wdns>-?\d+)`},
	{kind: watchdogInterval, has: "wd_nsec:", weight: weightDecides, pattern: named("clock") + ` +wd_nsec: (?P<ns>-?\d+)$`},
	{kind: clockInterval, has: "cs_nsec:", weight: weightDecides, pattern: named("clock") + ` +cs_nsec: (?P<ns>-?\d+)$`},
}

// testFormats are the messages of the kernel's tests of its watchdog.
var testFormats = []format{
	{kind: selfTest, has: "wdtest", weight: weightContext, pattern: `clocksource_wdtest: `}, // kernel/time/clocksource-wdtest.c
	{kind: selfTest, has: "injecting delay", weight: weightContext, pattern: `clocksource_watchdog_inject_delay\(\): Injecting delay`},
}

// markTests makes tests of what the watchdog says during a test, and of the clock sources of the test.
func markTests(events []Event) {
	testing := false
	for i := range events {
		switch e := &events[i]; {
		case e.Kind == selfTest:
			testing = !strings.Contains(strings.ToLower(e.Line), "done with test")
		case strings.HasPrefix(e.Clock, "wdtest") || testing && (e.Marks() || slices.Contains([]Kind{watchdogInterval, clockInterval, readBackDelay, "read-timed-out"}, e.Kind)):
			e.Kind = selfTest
		}
	}
}

// marks are the kinds of lines by which the kernel marks a clock source unstable, or gives it up.
var marks = []Kind{tscUnstable, watchdogVerdict, "watchdog-skew", watchdogDelta, frequencySkew, interCPUSkew, tscWarp}

// Marks returns whether the kernel marks a clock source unstable by the line, or gives it up.
func (e Event) Marks() bool {
	return slices.Contains(marks, e.Kind) || e.Kind == readBackDelay && strings.Contains(strings.ToLower(e.Line), "marking")
}
