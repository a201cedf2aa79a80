package host

import (
	"math"
	"regexp"
	"strconv"
)

// tscRates find the rate of the time stamp counter in the kernel's log, the best
// figure first: measured against another clock for a second, the counter's own where
// it differs from the CPU's, and the CPU's (arch/x86/kernel/tsc.c).
var tscRates = []*regexp.Regexp{
	regexp.MustCompile(`tsc: Refined TSC clocksource calibration: (\d+\.\d+) MHz`),
	regexp.MustCompile(`tsc: Detected (\d+\.\d+) MHz TSC`),
	regexp.MustCompile(`tsc: Detected (\d+\.\d+) MHz processor`),
}

// loggedTSCHz returns the rate of the time stamp counter that the kernel reckons with,
// by the lines of its log; 0 where they do not tell.
func loggedTSCHz(lines []string) float64 {
	for _, rate := range tscRates {
		for _, line := range lines {
			found := rate.FindStringSubmatch(line)
			if found == nil {
				continue
			}
			if mhz, err := strconv.ParseFloat(found[1], 64); err == nil && plausibleHz(mhz*1e6) {
				return math.Round(mhz * 1e6)
			}
		}
	}
	return 0
}

// plausibleHz reports whether a CPU's counter can have a rate.
func plausibleHz(hz float64) bool { return hz >= 1e6 && hz <= 1e12 }
