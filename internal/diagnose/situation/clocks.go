package situation

import (
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/clock/vdso"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// Everyday are the clocks that programs read most: C, Java and Go use them for "now".
var Everyday = []string{
	"CLOCK_MONOTONIC@vdso", "CLOCK_REALTIME@vdso", "gettimeofday@vdso",
	"QueryPerformanceCounter@winapi", "GetSystemTimePreciseAsFileTime@winapi",
	"CLOCK_MONOTONIC@libc", "CLOCK_REALTIME@libc", "gettimeofday@libc",
}

// IsEveryday reports whether a clock is one of [Everyday].
func IsEveryday(c compare.Clock) bool { return slices.Contains(Everyday, c.ID) }

// Coarse are the clocks whose value the kernel stores at each tick.
var Coarse = []string{"CLOCK_REALTIME_COARSE@vdso", "CLOCK_MONOTONIC_COARSE@vdso"}

// IsCoarse reports whether the kernel stores the value of a clock of the vDSO at each tick, or each second.
func IsCoarse(c compare.Clock) bool { return slices.Contains(Coarse, c.ID) || c.ID == "time@vdso" }

// IsFine reports whether a clock of the vDSO is neither coarse nor of CPU time, which no vDSO supports
// (lib/vdso/gettimeofday.c).
func IsFine(c compare.Clock) bool { return c.Path == "vdso" && c.Kind != "cpu time" && !IsCoarse(c) }

// Enters reports whether reads of a clock enter the kernel without need.
func Enters(c compare.Clock) bool {
	return (IsFine(c) || IsCoarse(c)) && (c.KernelEntry == result.Always || c.KernelEntry == result.Sometimes)
}

// Select returns the clocks for which a condition holds.
func (s *Situation) Select(holds func(compare.Clock) bool) []compare.Clock {
	var found []compare.Clock
	for _, c := range s.Clocks {
		if holds(c) {
			found = append(found, c)
		}
	}
	return found
}

// Timed returns a clock that was timed; nil otherwise.
func (s *Situation) Timed(id string) *compare.Clock {
	return First(s.Clocks, func(c compare.Clock) bool { return c.ID == id && c.Available && c.Latency != nil })
}

// Fastest returns the timed clock with the lowest median for which a condition holds; or nil.
func (s *Situation) Fastest(holds func(compare.Clock) bool) *compare.Clock {
	var found *compare.Clock
	for i, c := range s.Clocks {
		if c.Latency != nil && holds(c) && (found == nil || c.Latency.MedianNS < found.Latency.MedianNS) {
			found = &s.Clocks[i]
		}
	}
	return found
}

const fewestSamples = 6 // the min number of samples for a known lowest level

// CostNS returns the cost of a read in ns while no other program has the CPU: the lowest level of the samples, which
// diff uses too. On a busy machine all of a few samples may be disturbed, and then the fastest slice is an upper bound.
func CostNS(l *compare.Latency) float64 {
	if n := len(l.SamplesNS); n > 0 && n < fewestSamples {
		return slices.Min(slices.Concat(l.SamplesNS, l.QuietSamplesNS))
	}
	return l.CostNS()
}

// EntersKernel reports whether reads of an everyday clock enter the kernel.
func (s *Situation) EntersKernel() bool {
	return slices.ContainsFunc(s.Clocks, func(c compare.Clock) bool { return Enters(c) && IsEveryday(c) })
}

// NoVDSO reports whether the process has no vDSO. A clock of the vDSO that cannot be read for another reason does not
// show that.
func (s *Situation) NoVDSO() bool {
	return slices.ContainsFunc(s.Clocks, func(c compare.Clock) bool { return c.Reason == vdso.ErrNone.Error() })
}

// unreadable are the clock sources that no current vDSO can read in user mode. xen is readable only on machines whose
// kernel has a page for it (arch/x86/xen/time.c).
var unreadable = append([]string{"hpet", "acpi_pm", "pit", "xen", "hyperv_clocksource", "hyperv_clocksource_msr"}, TickSources...)

// InKernelOnly reports whether no vDSO can read the clock source.
func (s *Situation) InKernelOnly() bool { return slices.Contains(unreadable, s.ClockSource) }

// ReadableSomewhere reports whether some vDSO can read the clock source although current ones cannot: xen where its
// host vouches for the TSC (PVCLOCK_TSC_STABLE_BIT), and hpet before Linux 4.7 (1ed95e52d902).
func (s *Situation) ReadableSomewhere() bool {
	return s.ClockSource == "xen" || s.ClockSource == "hpet" && s.OlderThan(4, 7)
}

// AsXenIntends reports whether a kernel log alone shows the clock of Xen in use, which is its guests' clock by design.
func (s *Situation) AsXenIntends() bool { return s.LogOnly() && s.ClockSource == "xen" }

// EntryUnproven reports whether the everyday clocks of the vDSO probably enter the kernel, by the clock source, without
// a proof. unproven are the measured ones.
func (s *Situation) EntryUnproven() (unproven []compare.Clock, is bool) {
	if !s.InKernelOnly() || s.EntersKernel() || s.NoVDSO() || s.LogOnly() && len(s.Faults()) > 0 {
		return nil, false
	}
	everyday := s.Select(IsEveryday)
	unproven = slices.DeleteFunc(slices.Clone(everyday), func(c compare.Clock) bool {
		return c.Available && c.KernelEntry != "" && c.KernelEntry != result.Unknown
	})
	return unproven, len(everyday) == 0 || len(unproven) > 0
}

// minTickNS is the min step at which a clock that should be fine counts as coarse: above the 30 µs of a counter of 32
// kHz, and below the 1 ms of the shortest tick of a kernel.
const minTickNS = 100_000

// Ticking returns the everyday clocks whose steps are ticks.
func (s *Situation) Ticking() []compare.Clock {
	return s.Select(func(c compare.Clock) bool {
		return c.Resolution != nil && IsEveryday(c) && !c.Resolution.FinerThanRead && c.Resolution.TickNS >= minTickNS
	})
}

// ReadsQPCInUserMode reports whether QueryPerformanceCounter may read the counter of the CPU in user mode.
func (s *Situation) ReadsQPCInUserMode() bool {
	w := s.Host.Windows
	return w != nil && w.Wine == nil && w.QPC != nil && w.QPC.UserMode != nil && *w.QPC.UserMode
}

// QPC is the id of the clock that Windows programs read.
const QPC = "QueryPerformanceCounter@winapi"

// FineRead returns the fastest clock that programs read for the time; nil if none was timed. Off Linux a system call
// may be the only way to read them.
func (s *Situation) FineRead() *compare.Clock {
	if s.ReadsQPCInUserMode() {
		return s.Timed(QPC)
	}
	return s.Fastest(func(c compare.Clock) bool {
		call, path, _ := strings.Cut(c.ID, "@")
		return IsEveryday(c) || !s.OnLinux() && path == "syscall" && slices.Contains(Everyday, call+"@libc")
	})
}
