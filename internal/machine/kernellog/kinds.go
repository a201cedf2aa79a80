package kernellog

import (
	"slices"
	"strings"
)

// A Kind is the kind of an Event, the name of an entry of formats.txt. These are the kinds that the code uses.
type Kind string

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

// The kinds of the messages on the wall clock, on ticks, and on what holds up the kernel's timers.
const (
	stepped Kind = "stepped"
	stalled Kind = "stalled"
)

// The kinds of the other messages.
const (
	switched   Kind = "clocksource-switched"
	registered Kind = "clocksource-registered"
	refused    Kind = "override-refused"
	erratum    Kind = "erratum"
	armRate    Kind = "arm-counter-rate"
	suspended  Kind = "suspended"
)

// markTests makes tests of what the watchdog says during a test, and of the clock sources of the test.
func markTests(events []Event) {
	testing := false
	for i := range events {
		switch e := &events[i]; {
		case e.Kind == selfTest:
			testing = !strings.Contains(strings.ToLower(e.Line), "done with test")
		case strings.HasPrefix(e.Clock, "wdtest") || testing && (e.Marks() ||
			slices.Contains([]Kind{watchdogInterval, clockInterval, readBackDelay, "read-timed-out"}, e.Kind)):
			e.Kind = selfTest
		}
	}
}

// marks are the kinds of lines by which the kernel marks a clock source unstable, or gives it up.
var marks = []Kind{tscUnstable, watchdogVerdict, "watchdog-skew", watchdogDelta, frequencySkew, interCPUSkew, tscWarp}

// Marks returns whether the kernel marks a clock source unstable by the line, or gives it up.
func (e Event) Marks() bool {
	return slices.Contains(marks, e.Kind) || e.Kind == readBackDelay &&
		strings.Contains(strings.ToLower(e.Line), "marking")
}
