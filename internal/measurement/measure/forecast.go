package measure

import (
	"context"
	"time"
)

// A forecast is the duration of a run, predicted from its steps until now. On a busy machine a pass of 50 ms can take
// 300 ms, because its threads wait for CPUs, so the announcement waits for some measured steps.
type forecast struct {
	begunNS   int64
	announced bool // whether enough steps were measured
	turns     steps
	passes    steps         // one for each thread of a pass, with the time beyond its span
	spans     time.Duration // of the passes that are left
	watches   time.Duration // of resolutions that are left
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

// left returns how long the rest of the run takes.
func (f *forecast) left() time.Duration {
	return f.turns.timeLeft() + f.spans + f.passes.timeLeft() + f.watches
}

const (
	// enoughSteps is the number of passes for a reliable mean, and enoughProbed their time: in less, a thread is rarely
	// interrupted.
	enoughSteps  = 10
	enoughProbed = 200 * time.Millisecond
)

// probe runs some of the first passes with the smallest and the largest number of threads, if passes are short, so that
// the forecast is known, and returns false if the run ended first. The passes share workers, as those of the run do: on
// a busy machine new threads take several times as long.
func (r *runner) probe(blocks [][]*throughput) bool {
	defer r.team.rest()
	for _, threads := range ordered(r.settings.Threads)[:min(2, len(r.settings.Threads))] {
		made, begun := 0, r.now()
		for i, block := range blocks {
			for len(block) > 0 && block[0].threads == threads && r.progress != nil && r.settings.passSpan(threads) < enoughProbed &&
				(made < enoughSteps || r.now()-begun < int64(enoughProbed)) {
				if !r.passAll([][]*throughput{block[:1]}) {
					return false
				}
				block = block[1:]
				made++
			}
			blocks[i] = block
		}
	}
	return true
}

// report reports the progress after the announcement.
func (r *runner) report() {
	if r.progress == nil || !r.forecast.announced {
		return
	}
	done := time.Duration(r.now() - r.forecast.begunNS)
	r.progress(done, done+inTime(r.ctx, r.forecast.left()))
}

// inTime returns the duration, or the time until the deadline of ctx if that is shorter.
func inTime(ctx context.Context, d time.Duration) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return max(0, min(d, time.Until(deadline)))
	}
	return d
}
