package measure

import (
	"context"
	"time"
)

// A forecast is the duration of a run, predicted from its steps until now. On a busy machine a pass of 50 ms can take
// 300 ms, because its threads wait for CPUs, so the first report waits for passes with the most threads.
type forecast struct {
	begunNS int64
	probed  bool // whether it is reliable
	blocks  int  // complete blocks of passes
	turns   steps
	passes  steps         // one for each thread of a pass, with the time beyond its span
	spans   time.Duration // of the passes that are left
}

// steps are the turns of latency, or the threads of passes: the time of a pass beyond its span is for starting them.
type steps struct {
	left, made int
	took       time.Duration
}

func (s *steps) add(took time.Duration, made int) {
	s.left, s.made, s.took = s.left-made, s.made+made, s.took+took
}

func (s *steps) timeLeft() time.Duration {
	return time.Duration(s.left) * s.took / time.Duration(max(1, s.made))
}

// left returns how long the rest of the run takes. Before a complete block it leaves out the time to start threads: on
// a busy machine the first pass may wait for some hundred ms, and thousands of threads would be expected to do so too.
func (f *forecast) left() time.Duration {
	left := f.turns.timeLeft() + f.spans
	if f.blocks > 0 {
		left += f.passes.timeLeft()
	}
	return left
}

// report reports the progress when the machine was probed. If that takes long, it reports a first guess earlier.
func (r *runner) report() {
	const patience = 3 * time.Second
	done := time.Duration(r.now() - r.forecast.begunNS)
	if r.progress == nil || !r.forecast.probed && done < patience {
		return
	}
	left := r.forecast.left()
	if limit := r.settings.Limit; limit > 0 && !r.forecast.probed {
		left = min(left, limit)
	}
	r.progress(done, done+inTime(r.ctx, left))
}

// inTime returns the duration, or the time until the deadline of ctx if that is shorter.
func inTime(ctx context.Context, d time.Duration) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return max(0, min(d, time.Until(deadline)))
	}
	return d
}
