package compare

import (
	"fmt"
	"slices"

	"github.com/timebench/timebench/internal/document/result"
)

// Check reports impossible values to checker. The keys are at the top of the document, so the
// path is empty.
func (c *Costs) Check(checker *result.Checker, _ string) {
	checker.NotNegative("floor_ns", c.FloorNS)
	if c.Conditions != nil {
		c.Conditions.check(checker, "conditions")
	}
	checkClocks(c.Clocks, checker, "")
	checkExperiments(c.OtherClockSources, checker)
}

func checkExperiments(experiments []Experiment, c *result.Checker) {
	seen := map[string]bool{}
	for i, experiment := range experiments {
		at := fmt.Sprintf("other_clocksources[%d]", i)
		if experiment.ClockSource == "" || seen[experiment.ClockSource] {
			c.Fail(at+".clocksource", fmt.Sprintf("is %.64q; each must be named, and once", experiment.ClockSource))
		}
		seen[experiment.ClockSource] = true
		c.NotNegative(at+".floor_ns", experiment.FloorNS)
		if experiment.Conditions != nil {
			experiment.Conditions.check(c, at+".conditions")
		}
		checkClocks(experiment.Clocks, c, at+".")
	}
}

// checkClocks checks the clocks of the document or of one experiment. Each id is unique there.
func checkClocks(clocks []Clock, c *result.Checker, within string) {
	seen := map[string]bool{}
	for i, clock := range clocks {
		at := fmt.Sprintf("%sclocks[%d] (%.64q)", within, i, clock.ID)
		c.Once(at, clock.ID, seen)
		clock.check(c, at)
	}
}

func (o *Conditions) check(c *result.Checker, at string) {
	c.NotNegative(at+".duration_ns", float64(o.DurationNS))
	c.NotNegative(at+".turns", float64(o.Turns))
	c.Part(at+".interrupted_turns", int64(o.InterruptedTurns), int64(o.Turns), "turns")
	c.NotNegative(at+".floor_low_ns", o.FloorLowNS)
	c.NotNegative(at+".floor_high_ns", o.FloorHighNS)
	c.Share(at+".steal_share", o.StealShare)
	c.NotNegative(at+".other_cpus", o.OtherCPUs)
	c.NotNegative(at+".throttled_periods", float64(o.ThrottledPeriods))
	c.NotNegative(at+".throttled_ns", float64(o.ThrottledNS))
	c.CPUs(at+".lost_cpus", o.LostCPUs)
	c.NotNegative(at+".complete_rounds", float64(o.CompleteRounds))
	for i, passes := range o.Passes {
		passes.check(c, fmt.Sprintf("%s.passes[%d]", at, i))
	}
}

func (p Passes) check(c *result.Checker, at string) {
	c.Positive(at+".threads", float64(p.Threads))
	c.NotNegative(at+".planned", float64(p.Planned))
	c.Part(at+".complete", int64(p.Complete), int64(p.Planned), "planned")
	c.Part(at+".starved", int64(p.Starved), int64(p.Complete), "complete")
}

func (clock *Clock) check(c *result.Checker, at string) {
	if clock.KernelEntry != "" { // "" is not written
		c.Choice(at+".kernel_entry", clock.KernelEntry, result.KernelEntries)
	}
	c.NotNegative(at+".ticks_per_second", clock.TicksPerSecond)
	clock.Latency.Check(c, at+".latency")
	clock.Resolution.Check(c, at+".resolution")
	CheckThroughput(clock.Throughput, c, at)
	if clock.Distribution != nil {
		clock.Distribution.check(c, at+".distribution")
	}
}

// CheckThroughput reports impossible values of the throughput of a clock, at is the path of the
// clock.
func CheckThroughput(all []Throughput, c *result.Checker, at string) {
	threads := map[int]bool{}
	for i, t := range all {
		at := fmt.Sprintf("%s.throughput[%d]", at, i)
		t.check(c, at)
		c.Few(at, i)
		if threads[t.Threads] {
			c.Fail(at+".threads", fmt.Sprintf("is %d again; each number of threads stands once", t.Threads))
		}
		threads[t.Threads] = true
	}
}

// Check reports impossible values; l may be nil.
func (l *Latency) Check(c *result.Checker, at string) {
	if l == nil {
		return
	}
	c.NotNegative(at+".median_ns", l.MedianNS)
	c.NotNegative(at+".low_ns", l.LowNS)
	c.NotNegative(at+".high_ns", l.HighNS)
	c.Share(at+".confidence", l.Confidence)
	c.NotNegative(at+".min_ns", l.MinNS)
	if l.Confidence > 0 && !(l.LowNS > 0 && l.LowNS <= l.MedianNS && l.MedianNS <= l.HighNS) {
		c.Fail(at, fmt.Sprintf("has a median of %v outside its interval, %v to %v", l.MedianNS, l.LowNS, l.HighNS))
	}
	samples(c, at+".samples_ns", l.SamplesNS, l.MedianNS)
	quiet(c, at+".quiet_samples_ns", l.QuietSamplesNS, l.SamplesNS)
	checkRuns(c, at+".runs", l.Runs, l.SamplesNS)
}

// Check reports impossible values; r may be nil.
func (r *Resolution) Check(c *result.Checker, at string) {
	if r == nil {
		return
	}
	c.NotNegative(at+".tick_ns", r.TickNS)
	c.NotNegative(at+".tick_low_ns", r.TickLowNS)
	c.NotNegative(at+".tick_high_ns", r.TickHighNS)
	if r.TickNS > 0 && (r.TickLowNS > r.TickNS || r.TickHighNS > 0 && r.TickHighNS < r.TickNS) {
		c.Fail(at, fmt.Sprintf("has a median tick of %v outside its quartiles, %v to %v", r.TickNS, r.TickLowNS, r.TickHighNS))
	}
	c.NotNegative(at+".reported_ns", r.ReportedNS)
	c.NotNegative(at+".watched_ns", float64(r.WatchedNS))
	c.NotNegative(at+".ticks", float64(r.Ticks))
	c.NotNegative(at+".backwards", float64(r.Backwards))
	c.NotNegative(at+".worst_backwards_ns", r.WorstBackwardsNS)
}

func (t *Throughput) check(c *result.Checker, at string) {
	c.Positive(at+".threads", float64(t.Threads))
	c.NotNegative(at+".reads_per_second", t.ReadsPerSecond)
	c.NotNegative(at+".counted_reads_per_second", t.CountedReadsPerSecond)
	c.NotNegative(at+".ns_per_read", t.NSPerRead)
	if (t.ReadsPerSecond > 0) != (t.NSPerRead > 0) {
		c.Fail(at, fmt.Sprintf("has %v reads/s and %v ns/read, which contradict each other", t.ReadsPerSecond, t.NSPerRead))
	}
	c.Share(at+".fairness", t.Fairness)
	samples(c, at+".samples_reads_per_second", t.SamplesReadsPerSecond, t.ReadsPerSecond)
	checkRuns(c, at+".runs", t.Runs, t.SamplesReadsPerSecond)
}

func (d *Distribution) check(c *result.Checker, at string) {
	c.NotNegative(at+".bracket_ns", d.BracketNS)
	c.NotNegative(at+".counter_step_ns", d.CounterStepNS)
	c.NotNegative(at+".reads", float64(d.Reads))
	c.NotNegative(at+".p50_ns", d.P50NS)
	c.NotNegative(at+".p90_ns", d.P90NS)
	c.NotNegative(at+".p99_ns", d.P99NS)
	c.NotNegative(at+".p99_9_ns", d.P999NS)
	c.NotNegative(at+".max_ns", d.MaxNS)
	c.Part(at+".tenfold_reads", d.TenfoldReads, d.Reads, "reads")
	// A sum of values from a file may overflow, a difference does not.
	left := d.Reads
	for i, bucket := range d.Buckets {
		at := fmt.Sprintf("%s.buckets[%d]", at, i)
		c.NotNegative(at+".up_to_ns", bucket.UpToNS)
		if i > 0 && bucket.UpToNS <= d.Buckets[i-1].UpToNS {
			c.Fail(at+".up_to_ns", fmt.Sprintf("is %v; it must be above the %v of the bucket before", bucket.UpToNS, d.Buckets[i-1].UpToNS))
		}
		c.Positive(at+".reads", float64(bucket.Reads))
		if bucket.Reads > left {
			c.Fail(at+".reads", fmt.Sprintf("is %d; with the buckets before that is more than the %d reads", bucket.Reads, d.Reads))
		}
		left -= bucket.Reads
	}
	if left != 0 {
		c.Fail(at+".buckets", fmt.Sprintf("hold %d reads, not the %d of reads", d.Reads-left, d.Reads))
	}
}

// quiet checks the fastest slices of the rounds, if there are any.
func quiet(c *result.Checker, at string, values, samples []float64) {
	if len(values) > 0 && len(values) != len(samples) {
		c.Fail(at, fmt.Sprintf("are %d, beside %d samples_ns; there is one for each", len(values), len(samples)))
		return
	}
	c.AllNotNegative(at, values)
	for i, value := range values {
		if value > samples[i] {
			c.Fail(fmt.Sprintf("%s[%d]", at, i), fmt.Sprintf("is %v, above the %v of the round's sample", value, samples[i]))
		}
	}
}

// samples checks samples and their median.
func samples(c *result.Checker, at string, values []float64, median float64) {
	c.AllNotNegative(at, values)
	if len(values) > 0 && (median < slices.Min(values) || median > slices.Max(values)) {
		c.Fail(at, fmt.Sprintf("are from %v to %v, which leaves out their median of %v", slices.Min(values), slices.Max(values), median))
	}
}

// checkRuns checks the numbers of samples of each run, if there are several.
func checkRuns(c *result.Checker, at string, counts []int, samples []float64) {
	if len(counts) > MaxRuns {
		c.Fail(at, fmt.Sprintf("are %d; there are %d at most", len(counts), MaxRuns))
		return
	}
	left := len(samples)
	for i, n := range counts {
		c.Positive(fmt.Sprintf("%s[%d]", at, i), float64(n))
		left -= min(n, left+1) // the sum of the numbers of a file may overflow
	}
	if len(counts) > 0 && len(samples) > 0 && left != 0 {
		c.Fail(at, fmt.Sprintf("do not add up to the %d samples", len(samples)))
	}
}
