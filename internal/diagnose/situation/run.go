package situation

import (
	"slices"

	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/document/section"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/measurement/drift"
	"github.com/timebench/timebench/internal/measurement/runtimes"
	"github.com/timebench/timebench/internal/measurement/skew"
	"github.com/timebench/timebench/internal/measurement/verify"
	"github.com/timebench/timebench/internal/measurement/wake"
)

// Unmeasured reports whether the document is from files of a machine, such as its kernel log, without a measurement.
func (s *Situation) Unmeasured() bool {
	return len(s.Clocks) == 0 && !slices.ContainsFunc(s.Sections, func(x result.Section) bool { return !section.Empty(x) })
}

// Ran reports whether the run measured the costs of reads, throughput, or sleeps, checked clocks (verify, skew, drift),
// or kept the CPUs busy itself ("load"). The results of checks are proven by the order of reads, or have a bound that
// contains the time of other work, which may be large then; profile reports that work.
func (s *Situation) Ran(what string) bool {
	called := runtimes.Of(s.Document)
	switch what {
	case "costs":
		return !compare.Of(s.Document).Empty() || called != nil
	case "throughput":
		return slices.ContainsFunc(s.Clocks, func(c compare.Clock) bool { return len(c.Throughput) > 0 }) ||
			called != nil && slices.ContainsFunc(called.Runtimes, func(r runtimes.MeasuredRuntime) bool {
				return slices.ContainsFunc(r.Calls, func(c runtimes.MeasuredCall) bool { return len(c.Throughput) > 0 })
			})
	case "sleeps":
		return wake.Of(s.Document) != nil
	case "checks":
		return verify.Of(s.Document) != nil || skew.Of(s.Document) != nil || drift.Of(s.Document) != nil
	case "load":
		v, d := verify.Of(s.Document), drift.Of(s.Document)
		return v != nil && v.Load || d != nil && d.LoadedFromNS > 0
	}
	panic("no run of " + what) // a mistake in a table, which a test finds
}
