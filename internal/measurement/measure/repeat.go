package measure

import (
	"context"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// pauseBetweenRuns lets the machine return to what it did before a run.
const pauseBetweenRuns = time.Second

// Repeat makes runs one after another, each with its own threads and buffers, and returns them joined, with the samples
// of all. If ctx ends, it returns the complete runs, or the incomplete first run. progress and the error are as in
// [Run].
func Repeat(ctx context.Context, runs int, clocks []clock.Clock, s Settings,
	progress func(done, total time.Duration)) (Result, error) {
	var all []*compare.Costs
	var conditions []*result.Conditions
	var endedBy error
	begun := observe.Now()
	for i := range runs {
		if i > 0 && !sleep(ctx, pauseBetweenRuns) {
			break
		}
		measured, err := once(ctx, clocks, s, after(ctx, progress, time.Duration(observe.Now()-begun), runs-i-1))
		if err != nil && i == 0 {
			return Result{}, err
		}
		if err != nil {
			endedBy = err
			break
		}
		if i == 0 || ctx.Err() == nil {
			all = append(all, &measured.Costs)
			conditions = append(conditions, &measured.Conditions)
		}
		if endedBy = measured.EndedBy; ctx.Err() != nil || endedBy != nil {
			break
		}
	}
	together := result.JoinConditions(conditions)
	together.Passes = noteworthy(together.Passes)
	return Result{
		Costs: *compare.Join(all), Runs: len(all), Conditions: *together,
		Interrupted: observe.Interrupted(ctx), EndedBy: endedBy,
	}, nil
}

// after returns the progress function of a run. before is the time of earlier runs, and others the number of later
// runs, each as long as this one.
func after(ctx context.Context, progress func(done, total time.Duration), before time.Duration,
	others int) func(done, total time.Duration) {
	if progress == nil {
		return nil
	}
	return func(done, total time.Duration) {
		left := total - done + time.Duration(others)*(pauseBetweenRuns+total)
		progress(before+done, before+done+inTime(ctx, left))
	}
}
