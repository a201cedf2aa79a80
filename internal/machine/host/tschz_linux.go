package host

import "github.com/timebench/timebench/internal/machine/kernellog"

// loggedTSCHz returns the TSC rate in Hz that the kernel assumes, from its log; 0 if it is not
// there.
func loggedTSCHz(lines []string) float64 {
	if hz := kernellog.TSCHz(kernellog.Parse(lines)); plausibleHz(hz) {
		return hz
	}
	return 0
}

// plausibleHz reports whether a CPU counter can have this rate.
func plausibleHz(hz float64) bool { return hz >= 1e6 && hz <= 1e12 }
