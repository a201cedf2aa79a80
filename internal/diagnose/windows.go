package diagnose

import (
	"fmt"
	"math"

	"github.com/timebench/timebench/internal/result"
)

const highResolution = "https://learn.microsoft.com/en-us/windows/win32/sysinfo/acquiring-high-resolution-time-stamps"

// frequencies are what QueryPerformanceFrequency gives away; Microsoft's page on
// high-resolution time stamps names them. Intel's HPET runs at 24 MHz from Skylake on, and
// so does the counter of some Arm CPUs.
var frequencies = []struct {
	hz, within float64
	arch       string // as Go names it, where the figure means something there only
	platform   bool   // a timer on the mainboard, shared by all CPUs
	meaning    string
}{
	{10_000_000, 0, "", false, "10 MHz: the TSC, or the hypervisor's reference time, scaled by Windows"},
	{3_579_545, 1000, "", true, "3.58 MHz: the ACPI power management timer"},
	{14_318_180, 1000, "", true, "14.318 MHz: the HPET"},
	{24_000_000, 1000, "amd64", true, "24 MHz: the HPET"},
	{24_000_000, 0, "arm64", false, "24 MHz: the counter of the CPU"},
	{1_000_000_000, 0, "", false, "1 GHz: a counter in nanoseconds"},
}

// Frequency says what a QueryPerformanceFrequency gives away about the counter on an
// architecture, as Go names it, and whether that is a timer on the mainboard, which all
// CPUs share.
func Frequency(hz int64, arch string) (meaning string, platform bool) {
	for _, f := range frequencies {
		if math.Abs(float64(hz)-f.hz) <= f.within && (f.arch == "" || f.arch == arch) {
			return f.meaning, f.platform
		}
	}
	if hz > 500_000 && hz < 6_000_000 {
		return fmt.Sprintf("%.4g MHz: the TSC divided by 1024, as Windows 7 and 8 have it", float64(hz)/1e6), false
	}
	return fmt.Sprintf("%.4g MHz", float64(hz)/1e6), false
}

// qpcKernel finds a QueryPerformanceCounter that enters the kernel, or reads a timer
// that all CPUs share.
func qpcKernel(d *result.Document) *result.Finding {
	w := d.Host.Windows
	if w == nil || w.QPC == nil || w.Wine != nil {
		return nil
	}
	meaning, platform := Frequency(w.QPC.Hz, d.Host.Arch)
	kernel := w.QPC.UserMode != nil && !*w.QPC.UserMode
	if !kernel && !platform {
		return nil
	}
	finding := &result.Finding{
		Title:    "QueryPerformanceCounter enters the kernel",
		Evidence: []string{"QueryPerformanceFrequency: " + meaning},
		Cause:    "Windows does not read the CPU's counter in user mode here.",
		Remedies: []result.Remedy{{
			Advice:   "As administrator, see whether the platform clock is forced; if so, let Windows choose, and boot again",
			Commands: []string{`bcdedit /enum "{current}"`, "bcdedit /deletevalue useplatformclock"},
			Risk:     "Some games' and audio programs' guides set it on purpose; on a machine with a faulty TSC Windows chose the platform clock by itself.",
		}},
		Links: []string{highResolution},
	}
	if kernel {
		finding.Evidence = append(finding.Evidence, "the shared page says that a read is made by the kernel")
	}
	if platform {
		finding.Title = "QueryPerformanceCounter reads a timer that all CPUs share"
		finding.Cause = "The platform clock is forced (bcdedit useplatformclock), or Windows takes the CPU's counter for unreliable."
	}
	if c := named(d, "QueryPerformanceCounter@winapi"); c != nil {
		finding.Evidence = append(finding.Evidence, costs(*c))
	}
	return finding
}

// timerRaised tells that a program has the system timer come more often than usual.
func timerRaised(d *result.Document) *result.Finding {
	w := d.Host.Windows
	if w == nil || w.Timer == nil || w.Wine != nil || d.Settings.TimerResolutionNS > 0 {
		return nil
	}
	const raised = 0.9 // of the longest period: it is a little off by nature
	if float64(w.Timer.PeriodNS) >= raised*float64(w.Timer.CoarsestNS) {
		return nil
	}
	return &result.Finding{
		Title:    "another program has the system timer come every " + nanoseconds(float64(w.Timer.PeriodNS)),
		Evidence: []string{fmt.Sprintf("NtQueryTimerResolution: every %s; it can be up to %s", nanoseconds(float64(w.Timer.PeriodNS)), nanoseconds(float64(w.Timer.CoarsestNS)))},
		Cause:    "The coarse clocks tick with the system timer: what they show now they do not show when that program ends.",
		Remedies: []result.Remedy{{Advice: "See which program it is", Commands: []string{"powercfg /energy /duration 5"}}},
		Links:    []string{"https://learn.microsoft.com/en-us/windows/win32/api/timeapi/nf-timeapi-timebeginperiod"},
	}
}
