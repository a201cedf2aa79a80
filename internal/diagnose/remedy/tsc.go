package remedy

import (
	"slices"

	"github.com/timebench/timebench/internal/machine/kernellog"
)

// tscPlausible reports whether something speaks for the TSC: the CPU's flags, or a cause that speaks against its
// watchdog.
func tscPlausible(s *machine) bool {
	blamesTimer := func(c kernellog.Cause) bool {
		return slices.Contains([]string{"read-back-delay", "hpet-may-stop", "one-hpet-for-many"}, c.Kind)
	}
	return s.Invariant() || slices.ContainsFunc(s.Causes(), blamesTimer)
}
