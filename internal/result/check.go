package result

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// check refuses values that cannot be.
func (d *Document) check() error {
	c := Checker{}
	if d.Schema != Schema {
		c.Fail("schema", fmt.Sprintf("is %.64q, not %q", d.Schema, Schema))
	}
	if at, length := overlong(reflect.ValueOf(d)); length > 0 {
		c.Fail(strings.TrimPrefix(at, "."), fmt.Sprintf("is a text of %d bytes; it must have at most %d", length, mostText))
	}
	d.Host.CPU.check(&c, "host.cpu")
	if d.Host.Windows != nil {
		d.Host.Windows.check(&c, "host.windows")
	}
	c.NotNegative("settings.rounds", float64(d.Settings.Rounds))
	c.NotNegative("settings.time_ns", float64(d.Settings.TimeNS))
	c.NotNegative("settings.timer_resolution_ns", float64(d.Settings.TimerResolutionNS))
	for i, threads := range d.Settings.Threads {
		c.Positive(fmt.Sprintf("settings.threads[%d]", i), float64(threads))
	}
	c.NotNegative("floor_ns", d.FloorNS)
	if d.Conditions != nil {
		d.Conditions.check(&c, "conditions")
	}
	if d.Host.TimeSync != nil {
		d.Host.TimeSync.check(&c, "host.time_sync")
	}
	if left := d.Host.UnrestoredClockSource; left != nil {
		c.NotNegative("host.unrestored_clocksource.pid", float64(left.PID))
	}
	for i, finding := range d.Findings {
		c.Choice(fmt.Sprintf("findings[%d].severity", i), finding.Severity, Severities)
	}
	checkClocks(d.Clocks, &c, "")
	checkExperiments(d.OtherClockSources, &c)
	for _, section := range d.Sections {
		section.Check(&c, section.Key())
	}
	return c.err
}

// mostText bounds a text in bytes: a renderer lays it out. A line of the kernel's log has at most
// some hundreds, a list of boot parameters some thousands.
const mostText = 64 << 10

// overlong returns where in a value the first text of more than mostText bytes stands, as keys
// and indices, and its length; 0 where there is none.
func overlong(value reflect.Value) (at string, length int) {
	switch value.Kind() {
	case reflect.String:
		if value.Len() > mostText {
			return "", value.Len()
		}
	case reflect.Pointer, reflect.Interface:
		if !value.IsNil() {
			return overlong(value.Elem())
		}
	case reflect.Slice:
		if sections, ok := value.Interface().([]Section); ok {
			for _, section := range sections {
				if at, length := overlong(reflect.ValueOf(section)); length > 0 {
					return "." + section.Key() + at, length
				}
			}
			return "", 0
		}
		if of := value.Type().Elem().Kind(); of != reflect.String && of != reflect.Struct {
			return "", 0 // samples, of which there are many
		}
		for i := range value.Len() {
			if at, length := overlong(value.Index(i)); length > 0 {
				return fmt.Sprintf("[%d]%s", i, at), length
			}
		}
	case reflect.Struct:
		for i := range value.NumField() {
			if field := value.Type().Field(i); field.IsExported() {
				if at, length := overlong(value.Field(i)); length > 0 {
					if name := key(field); name != "-" {
						at = "." + name + at
					}
					return at, length
				}
			}
		}
	}
	return "", 0
}

func checkExperiments(experiments []Experiment, c *Checker) {
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

// checkClocks checks the clocks of the document or of one experiment, within which
// no id stands twice. The same clock is in each.
func checkClocks(clocks []Clock, c *Checker, within string) {
	seen := map[string]bool{}
	for i, clock := range clocks {
		at := fmt.Sprintf("%sclocks[%d] (%.64q)", within, i, clock.ID)
		c.Once(at, clock.ID, seen)
		clock.check(c, at)
	}
}

func (t *TimeSync) check(c *Checker, at string) {
	c.Signed(at+".offset_ns", float64(t.OffsetNS))
	c.NotNegative(at+".max_error_ns", float64(t.MaxErrorNS))
	c.NotNegative(at+".estimated_error_ns", float64(t.EstimatedErrorNS))
	c.Signed(at+".frequency_ppm", t.FrequencyPPM)
	c.NotNegative(at+".tick_ns", float64(t.TickNS))
}

func (cpu *CPU) check(c *Checker, at string) {
	c.NotNegative(at+".logical", float64(cpu.Logical))
	c.NotNegative(at+".usable", float64(cpu.Usable))
	c.NotNegative(at+".quota_cpus", cpu.Quota)
	c.NotNegative(at+".quota_period_ns", float64(cpu.QuotaPeriodNS))
	c.NotNegative(at+".physical", float64(cpu.Physical))
	c.NotNegative(at+".packages", float64(cpu.Packages))
	c.NotNegative(at+".groups", float64(cpu.Groups))
	c.NotNegative(at+".tsc_hz", cpu.TSCHz)
	c.NotNegative(at+".tsc_asleep_hz", cpu.TSCAsleepHz)
	c.NotNegative(at+".tsc_loaded_hz", cpu.TSCLoadedHz)
	c.NotNegative(at+".kernel_tsc_hz", cpu.KernelTSCHz)
}

func (w *Windows) check(c *Checker, at string) {
	if w.Timer != nil {
		c.NotNegative(at+".timer.period_ns", float64(w.Timer.PeriodNS))
		c.NotNegative(at+".timer.finest_ns", float64(w.Timer.FinestNS))
		c.NotNegative(at+".timer.coarsest_ns", float64(w.Timer.CoarsestNS))
	}
	if w.QPC != nil {
		c.NotNegative(at+".qpc.hz", float64(w.QPC.Hz))
		if w.QPC.Shift != nil {
			c.NotNegative(at+".qpc.shift", float64(*w.QPC.Shift))
		}
	}
}

func (o *Conditions) check(c *Checker, at string) {
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
}

func (clock *Clock) check(c *Checker, at string) {
	if clock.KernelEntry != "" { // "" is not written
		c.Choice(at+".kernel_entry", clock.KernelEntry, KernelEntries)
	}
	c.NotNegative(at+".ticks_per_second", clock.TicksPerSecond)
	if clock.Latency != nil {
		clock.Latency.check(c, at+".latency")
	}
	if clock.Resolution != nil {
		clock.Resolution.check(c, at+".resolution")
	}
	threads := map[int]bool{}
	for i, t := range clock.Throughput {
		at := fmt.Sprintf("%s.throughput[%d]", at, i)
		t.check(c, at)
		if threads[t.Threads] {
			c.Fail(at+".threads", fmt.Sprintf("is %d again; each number of threads stands once", t.Threads))
		}
		threads[t.Threads] = true
	}
	if clock.Distribution != nil {
		clock.Distribution.check(c, at+".distribution")
	}
}

func (l *Latency) check(c *Checker, at string) {
	c.NotNegative(at+".median_ns", l.MedianNS)
	c.NotNegative(at+".low_ns", l.LowNS)
	c.NotNegative(at+".high_ns", l.HighNS)
	c.Share(at+".confidence", l.Confidence)
	c.NotNegative(at+".min_ns", l.MinNS)
	if l.Confidence > 0 && !(l.LowNS > 0 && l.LowNS <= l.MedianNS && l.MedianNS <= l.HighNS) {
		c.Fail(at, fmt.Sprintf("has a median of %v outside its interval, %v to %v", l.MedianNS, l.LowNS, l.HighNS))
	}
	c.samples(at+".samples_ns", l.SamplesNS, l.MedianNS)
	c.quiet(at+".quiet_samples_ns", l.QuietSamplesNS, l.SamplesNS)
}

func (r *Resolution) check(c *Checker, at string) {
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

func (t *Throughput) check(c *Checker, at string) {
	c.Positive(at+".threads", float64(t.Threads))
	c.NotNegative(at+".reads_per_second", t.ReadsPerSecond)
	c.NotNegative(at+".counted_reads_per_second", t.CountedReadsPerSecond)
	c.NotNegative(at+".ns_per_read", t.NSPerRead)
	if (t.ReadsPerSecond > 0) != (t.NSPerRead > 0) {
		c.Fail(at, fmt.Sprintf("has %v reads a second and %v ns a read, which contradict each other", t.ReadsPerSecond, t.NSPerRead))
	}
	c.Share(at+".fairness", t.Fairness)
	c.samples(at+".samples_reads_per_second", t.SamplesReadsPerSecond, t.ReadsPerSecond)
}

func (d *Distribution) check(c *Checker, at string) {
	c.NotNegative(at+".bracket_ns", d.BracketNS)
	c.NotNegative(at+".counter_step_ns", d.CounterStepNS)
	c.NotNegative(at+".reads", float64(d.Reads))
	c.NotNegative(at+".p50_ns", d.P50NS)
	c.NotNegative(at+".p90_ns", d.P90NS)
	c.NotNegative(at+".p99_ns", d.P99NS)
	c.NotNegative(at+".p99_9_ns", d.P999NS)
	c.NotNegative(at+".max_ns", d.MaxNS)
	c.Part(at+".tenfold_reads", d.TenfoldReads, d.Reads, "reads")
	// Subtracted, since a sum of what a file says may overflow.
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

// A Checker keeps the first value of a document that cannot be, with the place where it
// stands. Its methods take that place as keys and indices: "skew.clocks[0].pairs[1].cpu".
type Checker struct{ err error }

// Fail notes what is wrong with the value at a place.
func (c *Checker) Fail(at, what string) {
	if c.err == nil {
		c.err = fmt.Errorf("%s %s", at, what)
	}
}

// least and most bound what a clock can have to do with: a renderer divides and
// takes logarithms.
const (
	least = 1e-9
	most  = 1e18
)

// NotNegative is for a figure that is 0, or from 1e-9 to 1e18.
func (c *Checker) NotNegative(at string, value float64) {
	switch {
	case !(value >= 0) || math.IsInf(value, 0):
		c.Fail(at, fmt.Sprintf("is %v; it must be a number from 0", value))
	case value > most, value > 0 && value < least:
		c.Fail(at, fmt.Sprintf("is %v; it must be 0, or from %v to %v", value, least, most))
	}
}

// Signed is for a value that may be negative.
func (c *Checker) Signed(at string, value float64) {
	if !(value >= -most && value <= most) {
		c.Fail(at, fmt.Sprintf("is %v; it must be from %v to %v", value, -most, most))
	}
}

// Choice is for a text that is one of a few.
func (c *Checker) Choice(at, value string, choices []string) {
	if !slices.Contains(choices, value) {
		c.Fail(at, noneOf(value, choices))
	}
}

// noneOf says what is wrong with a text that is none of the choices.
func noneOf(value string, choices []string) string {
	return fmt.Sprintf("is %.64q; it must be one of %s", value, strings.Join(choices, ", "))
}

// Positive is for a count that is at least 1.
func (c *Checker) Positive(at string, value float64) {
	if value < 1 {
		c.Fail(at, fmt.Sprintf("is %v; it must be at least 1", value))
	}
}

// Once is for an id that must be there, and not have been seen before.
func (c *Checker) Once(at, id string, seen map[string]bool) {
	if id == "" {
		c.Fail(at, "has no id")
	}
	if seen[id] {
		c.Fail(at, "stands twice")
	}
	seen[id] = true
}

// CPUs is for numbers of CPUs.
func (c *Checker) CPUs(at string, numbers []int) {
	for i, number := range numbers {
		c.NotNegative(fmt.Sprintf("%s[%d]", at, i), float64(number))
	}
}

// Share is for a value from 0 to 1.
func (c *Checker) Share(at string, value float64) {
	if !(value >= 0 && value <= 1) {
		c.Fail(at, fmt.Sprintf("is %v; it must be from 0 to 1", value))
	}
}

// Part is for a count of some of all.
func (c *Checker) Part(at string, some, all int64, name string) {
	c.NotNegative(at, float64(some))
	if some > all {
		c.Fail(at, fmt.Sprintf("is %d; it must be no more than the %d of %s", some, all, name))
	}
}

// quiet checks the quickest slices of the rounds, where there are any.
func (c *Checker) quiet(at string, values, samples []float64) {
	if len(values) > 0 && len(values) != len(samples) {
		c.Fail(at, fmt.Sprintf("are %d, beside %d samples_ns; there is one for each", len(values), len(samples)))
		return
	}
	for i, value := range values {
		c.NotNegative(fmt.Sprintf("%s[%d]", at, i), value)
		if value > samples[i] {
			c.Fail(fmt.Sprintf("%s[%d]", at, i), fmt.Sprintf("is %v, above the %v of the round's sample", value, samples[i]))
		}
	}
}

// samples checks the samples of which the median is one or lies between two.
func (c *Checker) samples(at string, values []float64, median float64) {
	for i, value := range values {
		c.NotNegative(fmt.Sprintf("%s[%d]", at, i), value)
	}
	if len(values) > 0 && (median < slices.Min(values) || median > slices.Max(values)) {
		c.Fail(at, fmt.Sprintf("are from %v to %v, which leaves out their median of %v", slices.Min(values), slices.Max(values), median))
	}
}
