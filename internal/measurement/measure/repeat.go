package measure

import (
	"context"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// pauseBetweenRuns lets the machine return to what it did before a run.
const pauseBetweenRuns = time.Second

// Repeat makes runs one after another, each with threads and buffers of its own, and returns them as
// one, with the samples of all. If ctx ends, it returns the complete runs; the first one also if it is
// incomplete. progress and the error are those of [Run].
func Repeat(ctx context.Context, runs int, clocks []clock.Clock, s Settings, progress func(done, total time.Duration)) (Result, error) {
	var all []*compare.Costs
	var conditions []*result.Conditions
	var last Result
	for i := range runs {
		if i > 0 && !sleep(ctx, pauseBetweenRuns) {
			last.Interrupted = true
			break
		}
		measured, err := once(ctx, clocks, s, after(progress, i, runs))
		if err != nil && i == 0 {
			return Result{}, err
		}
		if err != nil {
			last.Spoilt = err
			break
		}
		last.Interrupted, last.Spoilt = measured.Interrupted, measured.Spoilt
		if i == 0 || !measured.Interrupted {
			all = append(all, &compare.Costs{FloorNS: measured.FloorNS, Clocks: measured.Clocks})
			conditions = append(conditions, &measured.Conditions)
		}
		if last.Interrupted || last.Spoilt != nil {
			break
		}
	}
	joined, together := compare.Join(all), result.JoinConditions(conditions)
	together.Passes = noteworthy(together.Passes)
	return Result{
		Runs: len(all), FloorNS: joined.FloorNS, Clocks: joined.Clocks, Conditions: *together, Interrupted: last.Interrupted, Spoilt: last.Spoilt,
	}, nil
}

// after returns the progress of a run that follows others of the same length.
func after(progress func(done, total time.Duration), earlier, runs int) func(done, total time.Duration) {
	if progress == nil {
		return nil
	}
	return func(done, total time.Duration) {
		each := total + pauseBetweenRuns
		progress(time.Duration(earlier)*each+done, time.Duration(runs)*each-pauseBetweenRuns)
	}
}

// RepeatEstimate returns approximately how long [Repeat] takes.
func (s Settings) RepeatEstimate(runs int, clocks []clock.Clock) time.Duration {
	return time.Duration(runs)*(s.Estimate(clocks)+pauseBetweenRuns) - pauseBetweenRuns
}
