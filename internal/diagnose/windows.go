package diagnose

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/words"
)

// frequencies are the counters behind values of QueryPerformanceFrequency, from Microsoft's page on high-resolution
// time stamps. 24 MHz is Intel's HPET from Skylake on, and the counter of some Arm CPUs. 100 MHz is a period of 10 ns
// (HPET_CLK_PERIOD in QEMU).
var frequencies = []struct {
	hz, within float64
	arch       string // GOARCH, if the frequency has this meaning only there
	timer      string // the timer on the mainboard, which all CPUs share, named like a clock source of Linux where it is one
	meaning    string
}{
	{10_000_000, 0, "", "", "10 MHz: the TSC, or the hypervisor's reference time, scaled by Windows"},
	{3_579_545, 1000, "", "acpi_pm", "3.58 MHz: the ACPI power management timer"},
	{14_318_180, 1000, "", "hpet", "14.318 MHz: the HPET"},
	{100_000_000, 1000, "amd64", "hpet of QEMU", "100 MHz: the HPET that QEMU emulates"},
	{24_000_000, 1000, "amd64", "hpet", "24 MHz: the HPET"},
	{24_000_000, 0, "arm64", "", "24 MHz: the CPU counter"},
	{1_000_000_000, 0, "", "", "1 GHz: a counter in nanoseconds"},
}

// Frequency returns the counter behind a value of QueryPerformanceFrequency in Hz, on a GOARCH, and the timer on the
// mainboard, which all CPUs share, if it is one.
func Frequency(hz int64, arch string) (meaning, timer string) {
	for _, f := range frequencies {
		if math.Abs(float64(hz)-f.hz) <= f.within && (f.arch == "" || f.arch == arch) {
			return f.meaning, f.timer
		}
	}
	if hz > 500_000 && hz < 6_000_000 {
		return fmt.Sprintf("%.4g MHz: the TSC divided by 1024, as in Windows 7 and 8", float64(hz)/1e6), ""
	}
	return fmt.Sprintf("%.4g MHz", float64(hz)/1e6), ""
}

const qpcSyscall = "NtQueryPerformanceCounter@syscall"

// hasQPC reports whether facts of the QueryPerformanceCounter of Windows are known. Wine has another one.
func hasQPC(s *situation.Situation) bool {
	w := s.Host.Windows
	return w != nil && w.QPC != nil && w.Wine == nil
}

// qpcEntry returns whether QueryPerformanceCounter enters the kernel: always, never or unknown; and the evidence. The
// shared pages show it. If they do not, the cost can prove it.
func qpcEntry(s *situation.Situation) (entry string, evidence []string) {
	for _, id := range []string{situation.QPC, qpcSyscall} {
		if c := s.Timed(id); c != nil {
			evidence = append(evidence, row(*c))
		}
	}
	switch q := s.Host.Windows.QPC; {
	case q.UserMode == nil:
		byCost, counters := qpcEntryByCost(s)
		return byCost, append(evidence, counters...)
	case *q.UserMode:
		return result.Never, evidence
	case q.HypervisorPage:
		return result.Always, slices.Insert(evidence, 0, "hypervisor page: not valid, so each read enters the kernel")
	}
	return result.Always, slices.Insert(evidence, 0, "shared page: bypass off, so each read enters the kernel")
}

const (
	// asMuch is the share of the cost of the system call from which a read counts as a system call, if all reads of the
	// CPU counter itself cost far less.
	asMuch = 0.9
	// farLess is the share below which a read has not made a system call.
	farLess = 0.6
)

// qpcEntryByCost compares the cost of QueryPerformanceCounter with the cost of its system call. The evidence is the
// cost of the CPU counter: a high cost hides the difference.
func qpcEntryByCost(s *situation.Situation) (entry string, evidence []string) {
	read, call := s.Timed(situation.QPC), s.Timed(qpcSyscall)
	if read == nil || call == nil {
		return result.Unknown, nil
	}
	if read.Latency.MedianNS <= farLess*call.Latency.MedianNS {
		return result.Never, nil
	}
	counters := s.Select(func(c compare.Clock) bool { return c.Path == "cpu" && c.Latency != nil })
	if len(counters) == 0 {
		return result.Unknown, nil
	}
	slowest := slices.MaxFunc(counters, func(a, b compare.Clock) int {
		return cmp.Compare(a.Latency.MedianNS, b.Latency.MedianNS)
	})
	evidence = []string{row(slowest)}
	if read.Latency.MedianNS >= asMuch*call.Latency.MedianNS && slowest.Latency.MedianNS <= farLess*call.Latency.MedianNS {
		return result.Always, append(evidence, "QueryPerformanceCounter costs as much as its system call, and "+
			"the CPU counter far less")
	}
	return result.Unknown, evidence
}

// qpcKernel finds a QueryPerformanceCounter that enters the kernel, or reads a timer that all CPUs share.
func qpcKernel(s *situation.Situation) *result.Finding {
	if !hasQPC(s) {
		return nil
	}
	w := s.Host.Windows
	meaning, timer := Frequency(w.QPC.Hz, s.Host.Arch)
	entry, evidence := qpcEntry(s)
	if entry != result.Always && timer == "" {
		return nil
	}
	name := "qpc-kernel"
	switch {
	case timer != "":
		name += " of-the-platform"
	case w.QPC.HypervisorPage:
		name += " by-its-page"
	}
	found := newWhy(s, name)
	found.evidence = append([]string{"QueryPerformanceFrequency: " + meaning}, evidence...)
	if s.GuestUnder("kvm") {
		kvm := newWhy(s, "qpc-kernel in-kvm")
		found.cause += " " + kvm.cause
		found.remedies, found.links = append(kvm.remedies, found.remedies...), append(found.links, kvm.links...)
	}
	return found.finding(s)
}

func unprovenQPC(s *situation.Situation) *result.Finding {
	w := s.Host.Windows
	entry, evidence := qpcEntry(s)
	if entry != result.Unknown {
		return nil
	}
	meaning, _ := Frequency(w.QPC.Hz, s.Host.Arch)
	name := "kernel-entry-unproven of-qpc"
	if w.QPC.HypervisorPage {
		name += "-with-a-page"
	}
	return foundBy(s, append([]string{"QueryPerformanceFrequency: " + meaning}, evidence...), name)
}

func timerRaised(s *situation.Situation) *result.Finding {
	w := s.Host.Windows
	if w == nil || w.Timer == nil || w.Wine != nil || s.Settings.TimerResolutionNS > 0 {
		return nil
	}
	const raised = 0.9 // of the longest period, which varies slightly
	if float64(w.Timer.PeriodNS) >= raised*float64(w.Timer.CoarsestNS) {
		return nil
	}
	period, coarsest := words.Duration(float64(w.Timer.PeriodNS)), words.Duration(float64(w.Timer.CoarsestNS))
	evidence := "NtQueryTimerResolution: " + period + "; the longest possible period is " + coarsest
	return foundBy(s, []string{evidence}, "timer-raised", "{period}", period)
}

// w32timeOff finds a Windows Time service that does not synchronise the wall clock.
func w32timeOff(s *situation.Situation) *result.Finding {
	if s.Host.Windows == nil || s.Host.Windows.W32Time == nil {
		return nil
	}
	service := *s.Host.Windows.W32Time
	off := service.State == "stopped" || service.Start == "disabled" && service.State == "" ||
		service.State == "running" && service.Type == "NoSync"
	if !off {
		return nil
	}
	evidence := []string{"W32Time: " + W32TimeText(service)}
	if a := s.Host.Windows.Adjustment; a != nil && a.AdjustedHz != a.NominalHz {
		evidence = append(evidence, "GetSystemTimeAdjustmentPrecise: "+AdjustmentText(*a))
	}
	return foundBy(s, evidence, "unsynchronised w32time")
}

// W32TimeText returns the facts of the Windows Time service in one line.
func W32TimeText(service result.W32Time) string {
	named := func(name, value string) string {
		return words.Either(value == "", "", name+" "+value)
	}
	return strings.Join(words.Present(service.State, named("start", service.Start), named("type", service.Type),
		named("servers", service.Servers)), ", ")
}

// AdjustmentText returns by how much a program has changed the rate of the wall clock. Microsoft's page calls the
// values frequencies, and its sample adds to them to make the clock fast. Which of them is right was not measured, so
// there is no sign.
func AdjustmentText(a result.Adjustment) string {
	ppm := math.Abs(float64(a.AdjustedHz)/float64(a.NominalHz)-1) * 1e6
	return fmt.Sprintf("a program sets the rate of the wall clock, %s ppm from the nominal rate", words.ThreeDigits(ppm))
}
