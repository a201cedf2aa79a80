package host

import (
	"math"
	"regexp"
	"strconv"
)

// tscRates match the TSC rate in the kernel log, the best figure first: calibrated against
// another clock for a second, the TSC rate if it differs from the CPU frequency, and the CPU
// frequency (arch/x86/kernel/tsc.c).
var tscRates = []*regexp.Regexp{
	regexp.MustCompile(`tsc: Refined TSC clocksource calibration: (\d+\.\d+) MHz`),
	regexp.MustCompile(`tsc: Detected (\d+\.\d+) MHz TSC`),
	regexp.MustCompile(`tsc: Detected (\d+\.\d+) MHz processor`),
}

// loggedTSCHz returns the TSC rate in Hz that the kernel assumes, from its log; 0 if it is not
// there.
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

// plausibleHz reports whether a CPU counter can have this rate.
func plausibleHz(hz float64) bool { return hz >= 1e6 && hz <= 1e12 }
