package remedy

import (
	"slices"

	"github.com/timebench/timebench/internal/diagnose/situation"
	"github.com/timebench/timebench/internal/machine/kernellog"
)

// ratedLast reports whether the kernel counts ticks and lists the TSC behind them, although it rates ticks 1 or 2: only the
// mark of an unstable TSC takes its rating to 0 (__clocksource_unstable, init_tsc_clocksource).
func ratedLast(s *machine) bool {
	ticks := func(name string) bool { return slices.Contains(situation.TickSources, name) }
	return ticks(s.ClockSource) && ticks(s.Best()) && s.Offers("tsc")
}

// tscPlausible reports whether something speaks for the TSC: the CPU's flags, or a cause that speaks against its watchdog.
func tscPlausible(s *machine) bool {
	blamesTimer := func(c kernellog.Cause) bool {
		return slices.Contains([]string{"read-back-delay", "hpet-may-stop", "one-hpet-for-many"}, c.Kind)
	}
	return s.Invariant() || slices.ContainsFunc(s.Causes(), blamesTimer)
}
