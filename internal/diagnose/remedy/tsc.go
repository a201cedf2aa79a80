package remedy

import (
	"math"
	"slices"
	"strings"

	"github.com/timebench/timebench/internal/machine/kernellog"
)

// tscPlausible reports whether something speaks for the TSC: the CPU's flags, or a cause that speaks against its watchdog.
func tscPlausible(s *machine) bool {
	blamesTimer := func(c kernellog.Cause) bool {
		return slices.Contains([]string{"read-back-delay", "hpet-may-stop", "one-hpet-for-many"}, c.Kind)
	}
	return s.Invariant() || slices.ContainsFunc(s.Causes(), blamesTimer)
}

const pauseNS = 10e6 // a host that pauses a guest does so for longer

// nearlyAgree reports whether the clock and its watchdog differ by less than a pause, by the kernel's figures. A pause of
// the host did not cause that.
func nearlyAgree(s *machine) bool {
	intervals := map[string]float64{}
	for _, e := range s.Events() {
		if e.Kind == "watchdog-skew" && strings.HasPrefix(e.Clock, "tsc") {
			return math.Abs(e.SkewNS) < pauseNS
		}
		if (e.Kind == "watchdog-interval" || e.Kind == "clock-interval") && e.Measured {
			intervals[e.Kind] = e.IntervalNS
		}
	}
	return len(intervals) == 2 && math.Abs(intervals["clock-interval"]-intervals["watchdog-interval"]) < pauseNS
}
