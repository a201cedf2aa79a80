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
	c := checker{}
	if d.Schema != Schema {
		c.fail("schema", fmt.Sprintf("is %.64q, not %q", d.Schema, Schema))
	}
	if at, length := overlong(reflect.ValueOf(d)); length > 0 {
		c.fail(strings.TrimPrefix(at, "."), fmt.Sprintf("is a text of %d bytes; it must have at most %d", length, mostText))
	}
	d.Host.CPU.check(&c, "host.cpu")
	if d.Host.Windows != nil {
		d.Host.Windows.check(&c, "host.windows")
	}
	c.notNegative("settings.rounds", float64(d.Settings.Rounds))
	c.notNegative("settings.time_ns", float64(d.Settings.TimeNS))
	c.notNegative("settings.timer_resolution_ns", float64(d.Settings.TimerResolutionNS))
	for i, threads := range d.Settings.Threads {
		c.positive(fmt.Sprintf("settings.threads[%d]", i), float64(threads))
	}
	c.notNegative("floor_ns", d.FloorNS)
	if d.Conditions != nil {
		d.Conditions.check(&c, "conditions")
	}
	if d.Host.TimeSync != nil {
		d.Host.TimeSync.check(&c, "host.time_sync")
	}
	if left := d.Host.UnrestoredClockSource; left != nil {
		c.notNegative("host.unrestored_clocksource.pid", float64(left.PID))
	}
	for i, finding := range d.Findings {
		c.choice(fmt.Sprintf("findings[%d].severity", i), finding.Severity, Severities)
	}
	checkClocks(d.Clocks, &c, "")
	checkExperiments(d.OtherClockSources, &c)
	if d.Verification != nil {
		d.Verification.check(&c, "verification")
	}
	if d.Skew != nil {
		d.Skew.check(&c, "skew")
	}
	if d.Drift != nil {
		d.Drift.check(&c, "drift")
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
	case reflect.Pointer:
		if !value.IsNil() {
			return overlong(value.Elem())
		}
	case reflect.Slice:
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
					return "." + key(field) + at, length
				}
			}
		}
	}
	return "", 0
}

func checkExperiments(experiments []Experiment, c *checker) {
	seen := map[string]bool{}
	for i, experiment := range experiments {
		at := fmt.Sprintf("other_clocksources[%d]", i)
		if experiment.ClockSource == "" || seen[experiment.ClockSource] {
			c.fail(at+".clocksource", fmt.Sprintf("is %.64q; each must be named, and once", experiment.ClockSource))
		}
		seen[experiment.ClockSource] = true
		c.notNegative(at+".floor_ns", experiment.FloorNS)
		if experiment.Conditions != nil {
			experiment.Conditions.check(c, at+".conditions")
		}
		checkClocks(experiment.Clocks, c, at+".")
	}
}

// checkClocks checks the clocks of the document or of one experiment, within which
// no id stands twice. The same clock is in each.
func checkClocks(clocks []Clock, c *checker, within string) {
	seen := map[string]bool{}
	for i, clock := range clocks {
		at := fmt.Sprintf("%sclocks[%d] (%.64q)", within, i, clock.ID)
		c.once(at, clock.ID, seen)
		clock.check(c, at)
	}
}

func (t *TimeSync) check(c *checker, at string) {
	c.signed(at+".offset_ns", float64(t.OffsetNS))
	c.notNegative(at+".max_error_ns", float64(t.MaxErrorNS))
	c.notNegative(at+".estimated_error_ns", float64(t.EstimatedErrorNS))
	c.signed(at+".frequency_ppm", t.FrequencyPPM)
	c.notNegative(at+".tick_ns", float64(t.TickNS))
}

func (cpu *CPU) check(c *checker, at string) {
	c.notNegative(at+".logical", float64(cpu.Logical))
	c.notNegative(at+".usable", float64(cpu.Usable))
	c.notNegative(at+".quota_cpus", cpu.Quota)
	c.notNegative(at+".quota_period_ns", float64(cpu.QuotaPeriodNS))
	c.notNegative(at+".physical", float64(cpu.Physical))
	c.notNegative(at+".packages", float64(cpu.Packages))
	c.notNegative(at+".groups", float64(cpu.Groups))
	c.notNegative(at+".tsc_hz", cpu.TSCHz)
	c.notNegative(at+".tsc_asleep_hz", cpu.TSCAsleepHz)
	c.notNegative(at+".tsc_loaded_hz", cpu.TSCLoadedHz)
	c.notNegative(at+".kernel_tsc_hz", cpu.KernelTSCHz)
}

func (w *Windows) check(c *checker, at string) {
	if w.Timer != nil {
		c.notNegative(at+".timer.period_ns", float64(w.Timer.PeriodNS))
		c.notNegative(at+".timer.finest_ns", float64(w.Timer.FinestNS))
		c.notNegative(at+".timer.coarsest_ns", float64(w.Timer.CoarsestNS))
	}
	if w.QPC != nil {
		c.notNegative(at+".qpc.hz", float64(w.QPC.Hz))
		if w.QPC.Shift != nil {
			c.notNegative(at+".qpc.shift", float64(*w.QPC.Shift))
		}
	}
}

func (o *Conditions) check(c *checker, at string) {
	c.notNegative(at+".duration_ns", float64(o.DurationNS))
	c.notNegative(at+".turns", float64(o.Turns))
	c.part(at+".interrupted_turns", int64(o.InterruptedTurns), int64(o.Turns), "turns")
	c.notNegative(at+".floor_low_ns", o.FloorLowNS)
	c.notNegative(at+".floor_high_ns", o.FloorHighNS)
	c.share(at+".steal_share", o.StealShare)
	c.notNegative(at+".other_cpus", o.OtherCPUs)
	c.notNegative(at+".throttled_periods", float64(o.ThrottledPeriods))
	c.notNegative(at+".throttled_ns", float64(o.ThrottledNS))
	c.cpus(at+".lost_cpus", o.LostCPUs)
}

func (clock *Clock) check(c *checker, at string) {
	if clock.KernelEntry != "" { // "" is not written
		c.choice(at+".kernel_entry", clock.KernelEntry, KernelEntries)
	}
	c.notNegative(at+".ticks_per_second", clock.TicksPerSecond)
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
			c.fail(at+".threads", fmt.Sprintf("is %d again; each number of threads stands once", t.Threads))
		}
		threads[t.Threads] = true
	}
	if clock.Distribution != nil {
		clock.Distribution.check(c, at+".distribution")
	}
}

func (l *Latency) check(c *checker, at string) {
	c.notNegative(at+".median_ns", l.MedianNS)
	c.notNegative(at+".low_ns", l.LowNS)
	c.notNegative(at+".high_ns", l.HighNS)
	c.share(at+".confidence", l.Confidence)
	c.notNegative(at+".min_ns", l.MinNS)
	if l.Confidence > 0 && !(l.LowNS > 0 && l.LowNS <= l.MedianNS && l.MedianNS <= l.HighNS) {
		c.fail(at, fmt.Sprintf("has a median of %v outside its interval, %v to %v", l.MedianNS, l.LowNS, l.HighNS))
	}
	c.samples(at+".samples_ns", l.SamplesNS, l.MedianNS)
	c.quiet(at+".quiet_samples_ns", l.QuietSamplesNS, l.SamplesNS)
}

func (r *Resolution) check(c *checker, at string) {
	c.notNegative(at+".tick_ns", r.TickNS)
	c.notNegative(at+".tick_low_ns", r.TickLowNS)
	c.notNegative(at+".tick_high_ns", r.TickHighNS)
	if r.TickNS > 0 && (r.TickLowNS > r.TickNS || r.TickHighNS > 0 && r.TickHighNS < r.TickNS) {
		c.fail(at, fmt.Sprintf("has a median tick of %v outside its quartiles, %v to %v", r.TickNS, r.TickLowNS, r.TickHighNS))
	}
	c.notNegative(at+".reported_ns", r.ReportedNS)
	c.notNegative(at+".watched_ns", float64(r.WatchedNS))
	c.notNegative(at+".ticks", float64(r.Ticks))
	c.notNegative(at+".backwards", float64(r.Backwards))
	c.notNegative(at+".worst_backwards_ns", r.WorstBackwardsNS)
}

func (t *Throughput) check(c *checker, at string) {
	c.positive(at+".threads", float64(t.Threads))
	c.notNegative(at+".reads_per_second", t.ReadsPerSecond)
	c.notNegative(at+".counted_reads_per_second", t.CountedReadsPerSecond)
	c.notNegative(at+".ns_per_read", t.NSPerRead)
	if (t.ReadsPerSecond > 0) != (t.NSPerRead > 0) {
		c.fail(at, fmt.Sprintf("has %v reads a second and %v ns a read, which contradict each other", t.ReadsPerSecond, t.NSPerRead))
	}
	c.share(at+".fairness", t.Fairness)
	c.samples(at+".samples_reads_per_second", t.SamplesReadsPerSecond, t.ReadsPerSecond)
}

func (d *Distribution) check(c *checker, at string) {
	c.notNegative(at+".bracket_ns", d.BracketNS)
	c.notNegative(at+".counter_step_ns", d.CounterStepNS)
	c.notNegative(at+".reads", float64(d.Reads))
	c.notNegative(at+".p50_ns", d.P50NS)
	c.notNegative(at+".p90_ns", d.P90NS)
	c.notNegative(at+".p99_ns", d.P99NS)
	c.notNegative(at+".p99_9_ns", d.P999NS)
	c.notNegative(at+".max_ns", d.MaxNS)
	c.part(at+".tenfold_reads", d.TenfoldReads, d.Reads, "reads")
	// Subtracted, since a sum of what a file says may overflow.
	left := d.Reads
	for i, bucket := range d.Buckets {
		at := fmt.Sprintf("%s.buckets[%d]", at, i)
		c.notNegative(at+".up_to_ns", bucket.UpToNS)
		if i > 0 && bucket.UpToNS <= d.Buckets[i-1].UpToNS {
			c.fail(at+".up_to_ns", fmt.Sprintf("is %v; it must be above the %v of the bucket before", bucket.UpToNS, d.Buckets[i-1].UpToNS))
		}
		c.positive(at+".reads", float64(bucket.Reads))
		if bucket.Reads > left {
			c.fail(at+".reads", fmt.Sprintf("is %d; with the buckets before that is more than the %d reads", bucket.Reads, d.Reads))
		}
		left -= bucket.Reads
	}
	if left != 0 {
		c.fail(at+".buckets", fmt.Sprintf("hold %d reads, not the %d of reads", d.Reads-left, d.Reads))
	}
}

// A checker keeps the first fault.
type checker struct{ err error }

func (c *checker) fail(at, what string) {
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

func (c *checker) notNegative(at string, value float64) {
	switch {
	case !(value >= 0) || math.IsInf(value, 0):
		c.fail(at, fmt.Sprintf("is %v; it must be a number from 0", value))
	case value > most, value > 0 && value < least:
		c.fail(at, fmt.Sprintf("is %v; it must be 0, or from %v to %v", value, least, most))
	}
}

// signed is for a value that may be negative.
func (c *checker) signed(at string, value float64) {
	if !(value >= -most && value <= most) {
		c.fail(at, fmt.Sprintf("is %v; it must be from %v to %v", value, -most, most))
	}
}

func (c *checker) choice(at, value string, choices []string) {
	if !slices.Contains(choices, value) {
		c.fail(at, noneOf(value, choices))
	}
}

// noneOf says what is wrong with a text that is none of the choices.
func noneOf(value string, choices []string) string {
	return fmt.Sprintf("is %.64q; it must be one of %s", value, strings.Join(choices, ", "))
}

func (c *checker) positive(at string, value float64) {
	if value < 1 {
		c.fail(at, fmt.Sprintf("is %v; it must be at least 1", value))
	}
}

// once is for an id that must be there, and not have been seen before.
func (c *checker) once(at, id string, seen map[string]bool) {
	if id == "" {
		c.fail(at, "has no id")
	}
	if seen[id] {
		c.fail(at, "stands twice")
	}
	seen[id] = true
}

// cpus is for numbers of CPUs.
func (c *checker) cpus(at string, numbers []int) {
	for i, number := range numbers {
		c.notNegative(fmt.Sprintf("%s[%d]", at, i), float64(number))
	}
}

// share is for a value from 0 to 1.
func (c *checker) share(at string, value float64) {
	if !(value >= 0 && value <= 1) {
		c.fail(at, fmt.Sprintf("is %v; it must be from 0 to 1", value))
	}
}

// part is for a count of some of all.
func (c *checker) part(at string, some, all int64, name string) {
	c.notNegative(at, float64(some))
	if some > all {
		c.fail(at, fmt.Sprintf("is %d; it must be no more than the %d of %s", some, all, name))
	}
}

// quiet checks the quickest slices of the rounds, where there are any.
func (c *checker) quiet(at string, values, samples []float64) {
	if len(values) > 0 && len(values) != len(samples) {
		c.fail(at, fmt.Sprintf("are %d, beside %d samples_ns; there is one for each", len(values), len(samples)))
		return
	}
	for i, value := range values {
		c.notNegative(fmt.Sprintf("%s[%d]", at, i), value)
		if value > samples[i] {
			c.fail(fmt.Sprintf("%s[%d]", at, i), fmt.Sprintf("is %v, above the %v of the round's sample", value, samples[i]))
		}
	}
}

// samples checks the samples of which the median is one or lies between two.
func (c *checker) samples(at string, values []float64, median float64) {
	for i, value := range values {
		c.notNegative(fmt.Sprintf("%s[%d]", at, i), value)
	}
	if len(values) > 0 && (median < slices.Min(values) || median > slices.Max(values)) {
		c.fail(at, fmt.Sprintf("are from %v to %v, which leaves out their median of %v", slices.Min(values), slices.Max(values), median))
	}
}
