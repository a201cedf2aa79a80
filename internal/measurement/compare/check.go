package compare

import (
	"fmt"

	"github.com/timebench/timebench/internal/document/result"
)

// maxLayers is more than a read of any clock has. A picture has a bar for each.
const maxLayers = 16

// Check reports more layers than a read can have.
func (clock *Clock) Check(c *result.Checker) {
	if len(clock.Layers) > maxLayers {
		c.Fail("layers", fmt.Sprintf("are %d; there are %d at most", len(clock.Layers), maxLayers))
	}
}

// Check reports a median outside its interval, and samples that do not fit each other.
func (l *Latency) Check(c *result.Checker) {
	if l.Confidence > 0 && !(0 < l.LowNS && l.LowNS <= l.MedianNS && l.MedianNS <= l.HighNS) {
		c.Fail("", fmt.Sprintf("has a median of %v outside its interval, %v to %v", l.MedianNS, l.LowNS, l.HighNS))
	}
	CheckRuns(c, l.Runs, l.SamplesNS)
	if len(l.QuietSamplesNS) > 0 && len(l.QuietSamplesNS) != len(l.SamplesNS) {
		c.Fail("quiet_samples_ns", fmt.Sprintf("are %d, beside %d samples_ns; there is one for each",
			len(l.QuietSamplesNS), len(l.SamplesNS)))
	}
}

// Check reports samples that do not fit the runs.
func (t *Throughput) Check(c *result.Checker) { CheckRuns(c, t.Runs, t.SamplesReadsPerSecond) }

// CheckRuns checks the numbers of samples of each run, if there are several.
func CheckRuns(c *result.Checker, counts []int, samples []float64) {
	if len(counts) > MaxRuns {
		c.Fail("runs", fmt.Sprintf("are %d; there are %d at most", len(counts), MaxRuns))
		return
	}
	left := len(samples)
	for _, n := range counts {
		left -= min(n, left+1) // the sum of the numbers of a file may overflow
	}
	if len(counts) > 0 && len(samples) > 0 && left != 0 {
		c.Fail("runs", fmt.Sprintf("do not add up to the %d samples", len(samples)))
	}
}
