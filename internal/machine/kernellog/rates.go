package kernellog

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/timebench/timebench/internal/show/words"
)

// A rate is the rate of a clock source. The zero value is unknown.
type rate struct {
	hz    float64
	by    string // its source: "by the line of hpet0"
	rough bool   // whether it is the name of the CPU, or a guess, so that clocks cannot be compared to a per cent
	rank  int
}

// rate returns the rate in a line.
func (e Event) rate() rate { return rate{hz: e.Hz, by: rateLines[e.Kind].by} }

// String returns the rate with its source: "14.318 MHz by its registration line".
func (r rate) String() string { return inHz(r.hz) + ", " + r.by }

// inHz returns a rate with four digits: 2.394 GHz.
func inHz(hz float64) string {
	switch {
	case hz >= 1e9:
		return fourDigits(hz/1e9) + " GHz"
	case hz >= 1e6:
		return strconv.FormatFloat(hz/1e6, 'g', 5, 64) + " MHz"
	}
	return fourDigits(hz) + " Hz"
}

// rateLines are the kinds of lines with a rate, and how it ranks: the most exact one counts. The kernel keeps the rate
// of rateBefore. BogoMIPS are twice the rate of the TSC, where the kernel computes or measures them by it.
var rateLines = map[string]rate{
	"clock-interval":         {rank: 1, by: "by its value and the uptime, a guess", rough: true},
	"bogomips":               {rank: 4, by: "by BogoMIPS"},
	"clocksource-registered": {rank: 5, by: "by its registration line"},
	"tsc-rate":               {rank: 6, by: `by the line "Detected"`},
	"hpet-rate":              {rank: 8, by: "by the line of hpet0"},
	"hypervisor-tsc-rate":    {rank: 8, by: "by the hypervisor"},
	"arm-counter-rate":       {rank: 8, by: "by the line of arch_timer"},
	"tsc-rate-before":        {rank: 8, by: "by CPUID"},
	"tsc-refined":            {rank: 9, by: `by the line "Refined TSC"`},
}

// knownRates are rates of clock sources that every machine has: drivers/clocksource/acpi_pm.c,
// arch/x86/kernel/kvmclock.c, arch/x86/xen/time.c, drivers/clocksource/hyperv_timer.c (units of 100 ns).
var knownRates = map[string]rate{
	"acpi_pm": {hz: 3579545, by: "as in every PC"}, "pit": {hz: 1193182, by: "as in every PC"},
	"kvm-clock": {hz: 1e9, by: "as on every host"}, "xen": {hz: 1e9, by: "as on every host"},
	"hyperv_clocksource": {hz: 1e7, by: "as on every host"}, "hyperv_clocksource_msr": {hz: 1e7, by: "as on every host"},
	"hyperv_clocksource_tsc_page": {hz: 1e7, by: "as on every host"},
}

// usualHPETs are the rates that HPETs have, by the name of the hypervisor, or of the CPU in lower case. Intel's have
// the first to Broadwell, then 24 MHz, 25 MHz in servers, and 19.2 MHz since Ice Lake in laptops; QEMU's has 100 MHz
// (hw/timer/hpet.c). A machine without a name may be any.
var usualHPETs = []struct {
	guest bool
	of    string
	hz    []float64
}{
	{true, "xen", []float64{62.5e6}}, {true, "hyve", []float64{16777216}}, {true, "vmware", []float64{14318180}},
	{true, "", []float64{14318180, 100e6}},
	{false, "amd", []float64{14318180}}, {false, "hygon", []float64{14318180}},
	{false, "intel", []float64{14318180, 19.2e6, 24e6, 25e6}},
	{false, "", []float64{14318180, 19.2e6, 24e6, 25e6, 100e6}},
}

// hpets returns the rates that the HPET of a machine may have.
func (m Machine) hpets() []float64 {
	name := words.Either(m.Guest, m.Hypervisor, strings.ToLower(m.CPU))
	for _, u := range usualHPETs {
		if u.guest == m.Guest && strings.Contains(name, u.of) {
			return u.hz
		}
	}
	return nil
}

var nameOfRate = lazily(`(\d\.\d+) ?GHz`) // the rate in the name of a CPU: 2.30GHz

// longUptime is an uptime after which the TSC's value shows its rate to a per cent, unless it began anew, in ns
const longUptime = 3600e9

// rates returns the rates of clock sources by their names.
func rates(events []Event, m Machine) map[string]rate {
	found := map[string]rate{}
	add := func(clock string, r rate) {
		if r.hz >= 10 && r.hz <= fastestHz && r.rank > found[clock].rank {
			found[clock] = r
		}
	}
	if named := nameOfRate().FindStringSubmatch(m.CPU); named != nil {
		ghz, _ := strconv.ParseFloat(named[1], 64)
		add("tsc", rate{hz: ghz * 1e9, by: "by the name of the CPU", rough: true, rank: 2})
	}
	if usual := m.hpets(); len(usual) == 1 {
		add("hpet", rate{hz: usual[0], by: "as in similar machines, a guess", rough: true, rank: 1})
	}
	add("tsc", rate{hz: m.TSCHz, by: "as the kernel has it", rank: 3})
	namesTSC := func(e Event) bool { return e.Kind != "bogomips" && strings.HasPrefix(e.Clock, "tsc") }
	onX86 := slices.ContainsFunc(events, namesTSC)
	for _, e := range events {
		r := rateLines[e.Kind]
		r.hz = e.Hz
		switch {
		case e.Kind == "bogomips" && !onX86, e.Kind == "clock-interval" && (m.Guest || e.AtNS < longUptime):
			continue
		case e.Kind == "clock-interval":
			if r.hz = float64(e.Last) / float64(e.AtNS) * 1e9; r.hz < slowestHz {
				continue
			}
		}
		if e.Kind == "tsc-rate" && strings.EqualFold(e.Name, "TSC") { // where it differs from that of the processor
			r.rank++
		}
		if e.Clock == "tsc-early" {
			e.Clock, r.rank = "tsc", r.rank-1
		}
		add(e.Clock, r)
	}
	// The line "Detected" of a K8 has the rate of its core, which may be below the TSC's. A guest measures its delay loop
	// by timer interrupts, which may be late.
	for _, e := range ofKind(events, "bogomips") {
		if r := rateLines["tsc-rate"]; found["tsc"].rank == r.rank && !m.Guest && e.Hz > 1.05*found["tsc"].hz {
			found["tsc"] = rate{hz: e.Hz, by: rateLines["bogomips"].by, rank: r.rank + 1}
		}
	}
	maps.Copy(found, knownRates)
	if r := jiffiesRate(events); found["refined-jiffies"].hz == 0 && r.hz > 0 {
		found["refined-jiffies"], found["jiffies"] = r, r
	}
	found["tsc-early"] = found["tsc"]
	return found
}

// jiffiesRate returns the rate of the timer interrupt that explains a value of jiffies at the time of the line: jiffies
// begin 300 s before they wrap (INITIAL_JIFFIES in include/linux/jiffies.h).
func jiffiesRate(events []Event) rate {
	for _, e := range ofKind(events, "watchdog-interval") {
		for _, hz := range []uint64{100, 250, 300, 1000} {
			since := float64((e.Now+300*hz)&e.Mask) / float64(hz)
			if up := float64(e.AtNS) / 1e9; slices.Contains(weakWatchdogs, e.Clock) && e.Timed &&
				math.Abs(since-up) < 0.1+up/100 {
				return rate{hz: float64(hz), by: fmt.Sprintf("by its value, %s after the boot", span(since*1e9))}
			}
		}
	}
	return rate{}
}

// TSCHz returns the rate of the TSC that the kernel uses, in Hz, from its log; 0 if it is not there. A rate computed
// from max_idle_ns does not count.
func TSCHz(events []Event) float64 {
	// As in a guest, the delay loop corrects nothing: the kernel itself goes by the line "Detected".
	r := rates(events, Machine{Guest: true})["tsc"]
	return words.Either(r.rank <= rateLines["clocksource-registered"].rank, 0, math.Round(r.hz))
}

// possible returns whether a TSC can count these cycles in an interval, or either is unknown.
func possible(cycles, ns float64) bool {
	if !(cycles > 0) || !(ns > 0) {
		return true
	}
	hz := cycles / ns * 1e9
	return slowestHz < hz && hz < fastestHz
}

// slowestHz and fastestHz are beyond the rates of all TSCs, and slowestWithHPET beyond those beside an HPET.
const slowestHz, fastestHz, slowestWithHPET = 0.5e9, 6.5e9, 0.75e9

// fastest are rates that no counter of another CPU reaches, in Hz: MIPS counts half the cycles, Arm's counter has 1 GHz
// at most.
var fastest = map[string]float64{"mips": 1.5e9, "arch_sys_counter": 1.1e9, "timebase": 1.1e9,
	"riscv_clocksource": 1.1e9}
