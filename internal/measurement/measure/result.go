package measure

import (
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/instrument/stats"
	"github.com/timebench/timebench/internal/measurement/compare"
	"github.com/timebench/timebench/internal/show/words"
)

func (r *runner) result() Result {
	summed := Result{Interrupted: observe.Interrupted(r.ctx), Conditions: r.noise.conditions(r.floor),
		EndedBy: r.endedBy}
	partial := r.partial()
	summed.Conditions.Passes = r.passes(partial)
	if r.rounded < r.settings.Rounds {
		summed.Conditions.CompleteRounds = r.rounded
	}
	if r.floor != nil && len(r.floor.latency) > 0 {
		summed.FloorNS = stats.Median(r.floor.latency)
	}
	var empty *hdrhistogram.Histogram
	if r.floor != nil {
		empty = r.floor.single
	}
	for _, s := range r.subjects {
		c := s.result(partial)
		if c.Available {
			r.addLayers(&c, s)
			c.Distribution = r.bracket.result(s.single, empty)
		}
		summed.Clocks = append(summed.Clocks, c)
	}
	return summed
}

// partial returns the numbers of threads that have no figures: the run ended before each clock had enough passes. A
// failed measurement concerns its own figure only.
func (r *runner) partial() map[int]bool {
	partial := map[int]bool{}
	for _, s := range r.subjects {
		for _, t := range s.throughput {
			if s.err == nil && t.err == nil && t.complete < min(sufficient, t.planned) {
				partial[t.threads] = true
			}
		}
	}
	return partial
}

func (r *runner) passes(partial map[int]bool) []result.Passes {
	var all []result.Passes
	for _, s := range r.subjects {
		for _, t := range s.throughput {
			p := result.Passes{Threads: t.threads, Planned: t.planned, Complete: t.complete, Starved: t.starved,
				Reasons: words.Present(r.missing(t))}
			if partial[t.threads] {
				p.Complete, p.Starved = 0, 0
			}
			if s.err == nil { // else the clock has a reason of its own
				all = append(all, p)
			}
		}
	}
	return result.SumPasses(all)
}

func noteworthy(all []result.Passes) []result.Passes {
	return slices.DeleteFunc(slices.Clone(all),
		func(p result.Passes) bool { return p.Complete == p.Planned && p.Starved == 0 })
}

// missing returns why passes of a measurement are missing, or "".
func (r *runner) missing(t *throughput) string {
	switch {
	case t.complete == t.planned:
		return ""
	case t.err != nil:
		return t.subject.clock.ID + ": " + t.err.Error()
	case r.endedBy != nil:
		return r.endedBy.Error()
	case observe.Interrupted(r.ctx):
		return "the run was interrupted"
	default:
		return "the time limit ended the run"
	}
}

// result returns the figures of the subject, without the numbers of threads that are partial.
func (s *subject) result(partial map[int]bool) compare.Clock {
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
		if t.complete > 0 && !partial[t.threads] {
			c.Throughput = append(c.Throughput, t.result())
		}
	}
	slices.SortFunc(c.Throughput, func(a, b compare.Throughput) int { return a.Threads - b.Threads })
	return c
}
