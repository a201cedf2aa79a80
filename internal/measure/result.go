package measure

import (
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/timebench/timebench/internal/compare"
	"github.com/timebench/timebench/internal/stats"
)

// result returns the result of the run.
func (r *runner) result() Result {
	summed := Result{Interrupted: r.ended(), Conditions: r.noise.conditions(r.floor), Spoilt: r.spoilt}
	summed.Conditions.LostCPUs = slices.Sorted(slices.Values(r.lost))
	if r.floor != nil && len(r.floor.latency) > 0 {
		summed.FloorNS = stats.Median(r.floor.latency)
	}
	for _, s := range r.subjects {
		c := s.result()
		if c.Available {
			c.Distribution = r.bracket.result(s.single, r.emptyBracket())
		}
		summed.Clocks = append(summed.Clocks, c)
	}
	return summed
}

// emptyBracket returns the distribution of an empty call, or nil if there is none.
func (r *runner) emptyBracket() *hdrhistogram.Histogram {
	if r.floor == nil {
		return nil
	}
	return r.floor.single
}

// result returns the entry of one clock.
func (s *subject) result() compare.Clock {
	c := compare.Clock{
		ID: s.clock.ID, Call: s.clock.Call, Path: string(s.clock.Path), Kind: string(s.clock.Kind),
		Available: s.err == nil, TicksPerSecond: s.rate.Hz,
	}
	if s.err != nil {
		c.Reason = s.err.Error()
		if s.reader != nil {
			c.Reason = "failed while it was read: " + c.Reason
		}
		return c
	}
	c.KernelEntry, c.KernelEntryBy = s.entry.Enters, s.entry.By
	if len(s.latency) > 0 {
		c.Latency = compare.LatencyOf(s.latency, s.quiet)
	}
	c.Resolution = s.resolution.result(s.rate.Hz, s.clock.ReportedNS())
	for _, t := range s.throughput {
		if len(t.perSecond) > 0 {
			c.Throughput = append(c.Throughput, t.result())
		}
	}
	return c
}
