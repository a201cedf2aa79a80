package result

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// check returns an error if a value is impossible.
func (d *Document) check() error {
	c := Checker{}
	if d.Schema != Schema {
		c.Fail("schema", fmt.Sprintf("is %.64q, not %q", d.Schema, Schema))
	}
	if at, length := overlong(reflect.ValueOf(d)); length > 0 {
		c.Fail(strings.TrimPrefix(at, "."), fmt.Sprintf("is a text of %d bytes; it must have at most %d", length, mostText))
	}
	if err := CheckLabels(d.Labels); err != nil {
		c.Fail("labels", err.Error())
	}
	d.Host.CPU.check(&c, "host.cpu")
	if d.Host.Windows != nil {
		d.Host.Windows.check(&c, "host.windows")
	}
	c.NotNegative("settings.rounds", float64(d.Settings.Rounds))
	c.NotNegative("settings.repeat", float64(d.Settings.Repeat))
	c.NotNegative("settings.time_ns", float64(d.Settings.TimeNS))
	c.NotNegative("settings.timer_resolution_ns", float64(d.Settings.TimerResolutionNS))
	for i, threads := range d.Settings.Threads {
		c.Positive(fmt.Sprintf("settings.threads[%d]", i), float64(threads))
	}
	if d.Host.TimeSync != nil {
		d.Host.TimeSync.check(&c, "host.time_sync")
	}
	c.NotNegative("host.wsl", float64(d.Host.WSL))
	d.Host.ClockSource.check(&c, "host.clocksource")
	d.Host.checkTime(&c, "host")
	if left := d.Host.UnrestoredClockSource; left != nil {
		c.NotNegative("host.unrestored_clocksource.pid", float64(left.PID))
	}
	for i, finding := range d.Findings {
		c.Choice(fmt.Sprintf("findings[%d].severity", i), finding.Severity, Severities)
	}
	for _, section := range d.Sections {
		at := section.Key()
		if IsInline(section) {
			at = ""
		}
		section.Check(&c, at)
	}
	return c.err
}

// mostText is the maximum size of a text in bytes, since laying out a text takes time. A line of
// the kernel log has some hundreds, a list of boot parameters some thousands.
const mostText = 64 << 10

// overlong returns the path of the first text with more than mostText bytes, and its length; 0 if
// there is none.
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
				at, length := overlong(reflect.ValueOf(section))
				if length > 0 && !IsInline(section) {
					at = "." + section.Key() + at
				}
				if length > 0 {
					return at, length
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

func (t *TimeSync) check(c *Checker, at string) {
	c.Signed(at+".offset_ns", float64(t.OffsetNS))
	c.NotNegative(at+".max_error_ns", float64(t.MaxErrorNS))
	c.NotNegative(at+".estimated_error_ns", float64(t.EstimatedErrorNS))
	c.Signed(at+".frequency_ppm", t.FrequencyPPM)
	c.NotNegative(at+".frequency_limit_ppm", t.FrequencyLimitPPM)
	c.NotNegative(at+".tick_ns", float64(t.TickNS))
}

func (s *ClockSource) check(c *Checker, at string) {
	if s == nil {
		return
	}
	seen := map[string]bool{}
	for i, of := range s.Qualities {
		at := fmt.Sprintf("%s.qualities[%d]", at, i)
		c.Once(at, of.Name, seen)
		c.Signed(at+".quality", float64(of.Quality))
	}
}

// checkTime checks what the host reports about its wall clock and its system calls.
func (h *Host) checkTime(c *Checker, at string) {
	seen := map[string]bool{}
	for i, wall := range h.WallOffsets {
		at := fmt.Sprintf("%s.wall_offsets[%d]", at, i)
		c.Once(at, wall.Against, seen)
		if wall.OffsetNS != nil {
			c.Signed(at+".offset_ns", float64(*wall.OffsetNS))
		}
		c.NotNegative(at+".bound_ns", float64(wall.BoundNS))
		c.Signed(at+".zone_ns", float64(wall.ZoneNS))
	}
	seen = map[string]bool{}
	for i, service := range h.TimeServices {
		c.Once(fmt.Sprintf("%s.time_services[%d]", at, i), service.Name, seen)
	}
	seen = map[string]bool{}
	for i, refused := range h.RefusedCalls {
		c.Once(fmt.Sprintf("%s.refused_calls[%d]", at, i), refused.Call, seen)
	}
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

// A Checker keeps the first impossible value of a document. Its methods take the path of a
// value: "skew.clocks[0].pairs[1].cpu".
type Checker struct{ err error }

// Fail reports what is wrong with the value at a path.
func (c *Checker) Fail(at, what string) {
	if c.err == nil {
		c.err = fmt.Errorf("%s %s", at, what)
	}
}

// least and most are the limits of all figures, because renderers divide and take logarithms.
const (
	least = 1e-9
	most  = 1e18
)

// NotNegative checks a figure that is 0, or from 1e-9 to 1e18.
func (c *Checker) NotNegative(at string, value float64) {
	if value == 0 || value >= least && value <= most {
		return
	}
	switch {
	case !(value >= 0) || math.IsInf(value, 0):
		c.Fail(at, fmt.Sprintf("is %v; it must be a number from 0", value))
	default:
		c.Fail(at, fmt.Sprintf("is %v; it must be 0, or from %v to %v", value, least, most))
	}
}

// AllNotNegative checks each of the values of a list. A document has thousands of samples, so their paths
// are made only where they are needed.
func (c *Checker) AllNotNegative(at string, values []float64) {
	for i, value := range values {
		if !(value == 0 || value >= least && value <= most) {
			c.NotNegative(fmt.Sprintf("%s[%d]", at, i), value)
		}
	}
}

// Signed checks a value that may be negative.
func (c *Checker) Signed(at string, value float64) {
	if !(value >= -most && value <= most) {
		c.Fail(at, fmt.Sprintf("is %v; it must be from %v to %v", value, -most, most))
	}
}

// Choice checks the value of an enumeration.
func (c *Checker) Choice(at, value string, choices []string) {
	if !slices.Contains(choices, value) {
		c.Fail(at, noneOf(value, choices))
	}
}

// noneOf returns the error for a text that is none of the choices.
func noneOf(value string, choices []string) string {
	return fmt.Sprintf("is %.64q; it must be one of %s", value, strings.Join(choices, ", "))
}

// Positive checks a count that is at least 1.
func (c *Checker) Positive(at string, value float64) {
	if value < 1 {
		c.Fail(at, fmt.Sprintf("is %v; it must be at least 1", value))
	}
}

// mostNamed is the maximum length of a list in which commands look an entry up for each entry of another. A machine
// has about a hundred clocks, and a run has at most 1,024 numbers of threads.
const mostNamed = 4096

// Once checks an id that must be present and unique.
func (c *Checker) Once(at, id string, seen map[string]bool) {
	if id == "" {
		c.Fail(at, "has no id")
	}
	if seen[id] {
		c.Fail(at, "appears twice")
	}
	c.Few(at, len(seen))
	seen[id] = true
}

// Few checks that so many entries may come before one of a list in which commands look entries up.
func (c *Checker) Few(at string, before int) {
	if before >= mostNamed {
		c.Fail(at, fmt.Sprintf("is one of more than %d; no machine has so many", mostNamed))
	}
}

// CPUs checks numbers of CPUs.
func (c *Checker) CPUs(at string, numbers []int) {
	for i, number := range numbers {
		c.NotNegative(fmt.Sprintf("%s[%d]", at, i), float64(number))
	}
}

// Share checks a value from 0 to 1.
func (c *Checker) Share(at string, value float64) {
	if !(value >= 0 && value <= 1) {
		c.Fail(at, fmt.Sprintf("is %v; it must be from 0 to 1", value))
	}
}

// Within checks a value that must be in its interval. It has room for rounding.
func (c *Checker) Within(at string, value, low, high float64) {
	const rounding = 1e-9
	if !(value >= low*(1-rounding)-rounding && value <= high*(1+rounding)+rounding) {
		c.Fail(at, fmt.Sprintf("is %v; it must be in its interval, from %v to %v", value, low, high))
	}
}

// Part checks a count that is part of another.
func (c *Checker) Part(at string, some, all int64, name string) {
	c.NotNegative(at, float64(some))
	if some > all {
		c.Fail(at, fmt.Sprintf("is %d; it must be no more than the %d of %s", some, all, name))
	}
}
