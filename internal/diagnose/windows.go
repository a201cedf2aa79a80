package diagnose

import (
	"fmt"
	"math"

	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/words"
)

const highResolution = "https://learn.microsoft.com/en-us/windows/win32/sysinfo/acquiring-high-resolution-time-stamps"

// frequencies are the counters behind values of QueryPerformanceFrequency, from Microsoft's
// page on high-resolution time stamps. 24 MHz is Intel's HPET from Skylake on, and the counter
// of some Arm CPUs.
var frequencies = []struct {
	hz, within float64
	arch       string // GOARCH, if the frequency has this meaning only there
	platform   bool   // a timer on the mainboard, which all CPUs share
	meaning    string
}{
	{10_000_000, 0, "", false, "10 MHz: the TSC, or the hypervisor's reference time, scaled by Windows"},
	{3_579_545, 1000, "", true, "3.58 MHz: the ACPI power management timer"},
	{14_318_180, 1000, "", true, "14.318 MHz: the HPET"},
	{24_000_000, 1000, "amd64", true, "24 MHz: the HPET"},
	{24_000_000, 0, "arm64", false, "24 MHz: the CPU counter"},
	{1_000_000_000, 0, "", false, "1 GHz: a counter in nanoseconds"},
}

// Frequency returns which counter a value of QueryPerformanceFrequency in Hz belongs to, on a
// GOARCH, and whether that counter is a timer on the mainboard, which all CPUs share.
func Frequency(hz int64, arch string) (meaning string, platform bool) {
	for _, f := range frequencies {
		if math.Abs(float64(hz)-f.hz) <= f.within && (f.arch == "" || f.arch == arch) {
			return f.meaning, f.platform
		}
	}
	if hz > 500_000 && hz < 6_000_000 {
		return fmt.Sprintf("%.4g MHz: the TSC divided by 1024, as in Windows 7 and 8", float64(hz)/1e6), false
	}
	return fmt.Sprintf("%.4g MHz", float64(hz)/1e6), false
}

// qpcKernel finds a QueryPerformanceCounter that enters the kernel, or reads a timer that all
// CPUs share.
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
		Cause:    "Windows does not read the CPU counter in user mode here.",
		Remedies: []result.Remedy{{
			Advice:   "As administrator, check whether the platform clock is forced. If so, delete that setting and reboot",
			Commands: []string{`bcdedit /enum "{current}"`, "bcdedit /deletevalue useplatformclock"},
			Risk:     "Some guides for games and audio programs set it on purpose. On a machine with a faulty TSC, Windows itself selected the platform clock.",
		}},
		Links: []string{highResolution},
	}
	if kernel {
		finding.Evidence = append(finding.Evidence, "shared page: bypass off, so each read enters the kernel")
	}
	if platform {
		finding.Title = "QueryPerformanceCounter reads a timer that all CPUs share"
		finding.Cause = "The platform clock is forced (bcdedit useplatformclock), or Windows considers the CPU counter unreliable."
	}
	if c := timedClock(d, "QueryPerformanceCounter@winapi"); c != nil {
		finding.Evidence = append(finding.Evidence, cost(*c))
	}
	return finding
}

// timerRaised finds that another program has shortened the period of the system timer.
func timerRaised(d *result.Document) *result.Finding {
	w := d.Host.Windows
	if w == nil || w.Timer == nil || w.Wine != nil || d.Settings.TimerResolutionNS > 0 {
		return nil
	}
	const raised = 0.9 // of the longest period, which varies slightly
	if float64(w.Timer.PeriodNS) >= raised*float64(w.Timer.CoarsestNS) {
		return nil
	}
	return &result.Finding{
		Title:    "another program has set the period of the system timer to " + words.Duration(float64(w.Timer.PeriodNS)),
		Evidence: []string{fmt.Sprintf("NtQueryTimerResolution: %s; the longest possible period is %s", words.Duration(float64(w.Timer.PeriodNS)), words.Duration(float64(w.Timer.CoarsestNS)))},
		Cause:    "The coarse clocks tick with the system timer. When that program ends, they tick more slowly than measured here.",
		Remedies: []result.Remedy{{Advice: "Find the program", Commands: []string{"powercfg /energy /duration 5"}}},
		Links:    []string{"https://learn.microsoft.com/en-us/windows/win32/api/timeapi/nf-timeapi-timebeginperiod"},
	}
}
