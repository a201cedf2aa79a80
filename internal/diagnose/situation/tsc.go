package situation

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/machine/kernellog"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/skew"
	"github.com/timebench/timebench/internal/measurement/verify"
	"github.com/timebench/timebench/internal/show/words"
)

// Invariant reports whether the CPU reports an invariant TSC, as far as is known.
func (s *Situation) Invariant() bool {
	return s.Host.CPU.InvariantTSC != nil && *s.Host.CPU.InvariantTSC
}

// HasTSCAdjust reports whether the CPU has the register TSC_ADJUST.
func (s *Situation) HasTSCAdjust() bool { return slices.Contains(s.Host.CPU.TSCFlags, "tsc_adjust") }

// Judged reports whether a fault in the kernel log has this judgement of the TSC.
func (s *Situation) Judged(as kernellog.Judgement) bool {
	return slices.ContainsFunc(s.Faults(), func(c kernellog.Cause) bool { return c.TSC == as })
}

// IsTSCWrong reports whether the kernel log or the measurement shows a TSC that must not be used for time. Then no
// remedy that trusts it is suggested.
func (s *Situation) IsTSCWrong() bool {
	return s.Judged(kernellog.TSCWrong) || s.goesBack() || len(s.TSCRates()) > 0
}

// IsTSCRight reports whether the kernel log shows that the TSC kept time, and nothing contradicts that.
func (s *Situation) IsTSCRight() bool { return s.Judged(kernellog.TSCRight) && !s.IsTSCWrong() }

// DoubtsTSC reports whether the TSC is wrong or may be far off, or the kernel had to correct it.
func (s *Situation) DoubtsTSC() bool {
	return s.IsTSCWrong() || s.Judged(kernellog.TSCDoubted) || s.Shows("tsc-adjust")
}

// TSCMayStop reports whether the TSC may stop while its CPU sleeps: by the flags of the CPU, and on a real machine by
// its model, or words in the log that only kernels of that time have.
func (s *Situation) TSCMayStop() bool {
	flags, invariant := s.Host.CPU.TSCFlags, s.Host.CPU.InvariantTSC
	isOld := len(flags) > 0 && !slices.Contains(flags, "nonstop_tsc") || kernellog.StopsInIdle(s.Host.CPU.Model) ||
		s.Logs("watchdog-delta") || s.Logs("idle-states")
	return invariant != nil && !*invariant || !s.IsGuest() && isOld
}

// MayUseTSC reports whether the kernel offers the TSC, does not use it, and no evidence is against it. kvm-clock is
// kept if the TSC is not invariant: it corrects the TSC of each CPU.
func (s *Situation) MayUseTSC() bool {
	return s.Offers("tsc") && s.ClockSource != "tsc" && !s.MarkedUnstable() && !s.IsTSCWrong() &&
		!slices.Contains(s.BehindTicks(), "tsc") &&
		(s.ClockSource != "kvm-clock" || s.Invariant())
}

// goesBack reports whether the TSC went back, alone or from one CPU to another: a counter of the CPU, or a clock that
// the kernel derives from the TSC.
func (s *Situation) goesBack() bool {
	byTSC := func(id string) bool {
		return strings.HasSuffix(id, "@cpu") || s.ClockSource == "tsc" && !s.IsWall(id) && !s.InGVisor()
	}
	found := slices.ContainsFunc(s.Clocks, func(c compare.Clock) bool {
		return c.Resolution != nil && c.Resolution.Backwards > 0 && byTSC(c.ID)
	})
	s.EachFault(func(c verify.VerifiedClock, f verify.ClockFault) {
		found = found || (f.Kind == verify.FaultWarp || f.Kind == verify.FaultBackwards) && byTSC(c.ID)
	})
	if section := skew.Of(s.Document); section != nil {
		for _, c := range section.Clocks {
			found = found || byTSC(c.ID) && slices.ContainsFunc(c.Pairs, skew.CPUPair.Apart)
		}
	}
	return found
}

// EachFault calls do with each fault that verify found.
func (s *Situation) EachFault(do func(verify.VerifiedClock, verify.ClockFault)) {
	if v := verify.Of(s.Document); v != nil {
		for _, c := range v.Clocks {
			for _, f := range c.Faults {
				do(c, f)
			}
		}
	}
}

// IsWall reports whether a clock shows the time of day, which may be set.
func (s *Situation) IsWall(id string) bool {
	return slices.ContainsFunc(s.Clocks, func(c compare.Clock) bool { return c.ID == id && c.Kind == "wall" })
}

// maxTSCDeviation is the allowed difference of two figures for the TSC rate: the stopwatch may be slewed by up to 500
// ppm (adjtimex(2)). maxFirstDeviation is the allowed error of the kernel's first measurement, which it allows itself
// to refine by 1 % (tsc_refine_calibration_work in arch/x86/kernel/tsc.c).
const maxTSCDeviation, maxFirstDeviation = 1e-3, 1e-2

// TSCRates returns the pairs of figures for the TSC rate that differ, as evidence. It returns nothing while the kernel
// slews the wall clock by a changed tick: that slews the stopwatch too, by up to a tenth (adjtimex(2)).
func (s *Situation) TSCRates() []string {
	if sync := s.Host.TimeSync; sync != nil && ChangedTick(*sync) {
		return nil
	}
	var evidence []string
	compare := func(nameA string, a float64, nameB string, b, most float64) {
		if a > 0 && b > 0 && math.Abs(a/b-1) > most {
			evidence = append(evidence, fmt.Sprintf("TSC rate %s: %.3f MHz; %s: %.3f MHz", nameA, a/1e6, nameB, b/1e6))
		}
	}
	cpu := s.Host.CPU
	first := s.Logs("tsc-rate") && !s.Logs("tsc-refined") && !slices.Contains(cpu.TSCFlags, "tsc_known_freq")
	compare("while clocks were read", cpu.TSCLoadedHz, "idle", cpu.TSCAsleepHz, maxTSCDeviation)
	compare("idle", cpu.TSCAsleepHz, "figure of the kernel", cpu.KernelTSCHz,
		words.Either(first, maxFirstDeviation, maxTSCDeviation))
	return evidence
}

// TSCCounter returns the timecounter of a BSD that is the TSC, and its quality; or "".
func (s *Situation) TSCCounter() (name string, quality int) {
	for _, available := range s.ClockSources {
		if IsTSCCounter(available) {
			name = available
		}
	}
	if source := s.Host.ClockSource; source != nil {
		for _, q := range source.Qualities {
			if IsTSCCounter(q.Name) {
				name, quality = q.Name, q.Quality
			}
		}
	}
	return name, quality
}

// IsTSCCounter reports whether a timecounter of a BSD is the TSC.
func IsTSCCounter(name string) bool { return strings.HasPrefix(strings.ToUpper(name), "TSC") }
