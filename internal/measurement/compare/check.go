package compare

import (
	"fmt"
	"slices"

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

// Check reports a median outside its interval, and samples that do not fit.
func (l *Latency) Check(c *result.Checker) {
	if l.Confidence > 0 && l.LowNS <= 0 {
		c.Fail("low_ns", fmt.Sprintf("is %v; it must be above 0", l.LowNS))
	} else if l.Confidence > 0 && !(l.LowNS <= l.MedianNS && l.MedianNS <= l.HighNS) {
		c.Fail("", fmt.Sprintf("has a median of %v outside its interval, %v to %v", l.MedianNS, l.LowNS, l.HighNS))
	}
	checkSamples(c, "samples_ns", l.SamplesNS, l.MedianNS)
	CheckRuns(c, l.Runs, l.SamplesNS)
	if len(l.QuietSamplesNS) > 0 && len(l.QuietSamplesNS) != len(l.SamplesNS) {
		c.Fail("quiet_samples_ns", fmt.Sprintf("are %d, beside %d samples_ns; there is one for each",
			len(l.QuietSamplesNS), len(l.SamplesNS)))
		return
	}
	for i, quiet := range l.QuietSamplesNS {
		if quiet > l.SamplesNS[i] {
			c.Fail(fmt.Sprintf("quiet_samples_ns[%d]", i), fmt.Sprintf("is %v, above the %v of the round's sample",
				quiet, l.SamplesNS[i]))
		}
	}
}

// Check reports a tick outside its quartiles.
func (r *Resolution) Check(c *result.Checker) {
	if r.TickNS > 0 && (r.TickLowNS > r.TickNS || r.TickHighNS > 0 && r.TickHighNS < r.TickNS) {
		c.Fail("", fmt.Sprintf("has a median tick of %v outside its quartiles, %v to %v", r.TickNS, r.TickLowNS,
			r.TickHighNS))
	}
}

// Check reports rates that contradict each other, and samples that do not fit.
func (t *Throughput) Check(c *result.Checker) {
	if (t.ReadsPerSecond > 0) != (t.NSPerRead > 0) {
		c.Fail("", fmt.Sprintf("has %v reads/s and %v ns/read, which contradict each other", t.ReadsPerSecond,
			t.NSPerRead))
	}
	checkSamples(c, "samples_reads_per_second", t.SamplesReadsPerSecond, t.ReadsPerSecond)
	CheckRuns(c, t.Runs, t.SamplesReadsPerSecond)
}

// Check reports buckets that do not ascend, or do not add up to the reads.
func (d *Distribution) Check(c *result.Checker) {
	c.Part("tenfold_reads", d.TenfoldReads, d.Reads, "reads")
	// A sum of values from a file may overflow, a difference does not.
	left := d.Reads
	for i, bucket := range d.Buckets {
		if i > 0 && bucket.UpToNS <= d.Buckets[i-1].UpToNS {
			c.Fail(fmt.Sprintf("buckets[%d].up_to_ns", i),
				fmt.Sprintf("is %v; it must be above the %v of the bucket before", bucket.UpToNS,
					d.Buckets[i-1].UpToNS))
		}
		if bucket.Reads > left {
			c.Fail(fmt.Sprintf("buckets[%d].reads", i),
				fmt.Sprintf("is %d; with the buckets before that is more than the %d reads", bucket.Reads, d.Reads))
		}
		left -= bucket.Reads
	}
	if left != 0 {
		c.Fail("buckets", fmt.Sprintf("hold %d reads, not the %d of reads", d.Reads-left, d.Reads))
	}
}

// checkSamples checks that the median is among the samples.
func checkSamples(c *result.Checker, key string, samples []float64, median float64) {
	if len(samples) > 0 && (median < slices.Min(samples) || median > slices.Max(samples)) {
		c.Fail(key, fmt.Sprintf("are from %v to %v, which leaves out their median of %v", slices.Min(samples),
			slices.Max(samples), median))
	}
}

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
