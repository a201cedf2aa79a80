package measure

import (
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/stats"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/words"
)

func (r *runner) result() Result {
	summed := Result{Interrupted: r.ended(), Conditions: r.noise.conditions(r.floor), Spoilt: r.spoilt}
	summed.Conditions.LostCPUs = slices.Sorted(slices.Values(r.lost))
	if !summed.Interrupted {
		summed.Conditions.Passes = r.passes()
		if r.rounded < r.settings.Rounds {
			summed.Conditions.CompleteRounds = r.rounded
		}
	}
	if r.floor != nil && len(r.floor.latency) > 0 {
		summed.FloorNS = stats.Median(r.floor.latency)
	}
	var empty *hdrhistogram.Histogram
	if r.floor != nil {
		empty = r.floor.single
	}
	for _, s := range r.subjects {
		c := s.result()
		if c.Available {
			r.addLayers(&c, s)
			c.Distribution = r.bracket.result(s.single, empty)
		}
		summed.Clocks = append(summed.Clocks, c)
	}
	return summed
}

func (r *runner) passes() []result.Passes {
	var all []result.Passes
	for _, s := range r.subjects {
		for _, t := range s.throughput {
			if s.err == nil { // else the clock has a reason of its own
				all = append(all, result.Passes{Threads: t.threads, Planned: t.planned, Complete: t.complete, Starved: t.starved, Reasons: words.Present(r.missing(t))})
			}
		}
	}
	return result.SumPasses(all)
}

func noteworthy(all []result.Passes) []result.Passes {
	return slices.DeleteFunc(slices.Clone(all), func(p result.Passes) bool { return p.Complete == p.Planned && p.Starved == 0 })
}

// missing returns why passes of a measurement are missing; "" if none is.
func (r *runner) missing(t *throughput) string {
	switch {
	case t.complete == t.planned:
		return ""
	case t.err != nil:
		return t.subject.clock.ID + ": " + t.err.Error()
	case r.spoilt != nil:
		return r.spoilt.Error()
	case len(r.lost) > 0:
		return "a CPU went away"
	default:
		return "the time was up"
	}
}

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
		c.Latency = compare.LatencyOf(s.latency, s.fastest)
	}
	c.Resolution = s.resolution.result(s.rate.Hz, s.clock.ReportedNS())
	for _, t := range s.throughput {
		if len(t.perSecond) > 0 {
			c.Throughput = append(c.Throughput, t.result())
		}
	}
	return c
}
