package measure

import (
	"context"
	"maps"
	"math"
	"slices"
	"time"
)

// A forecast is how long a run takes, from what its steps took until now. On a busy machine a pass of 50 ms can take
// 300 ms, because its threads wait for CPUs, so nothing is announced before some steps were measured.
type forecast struct {
	begunNS int64
	known   bool
	turns   steps
	passes  map[int]*steps // by number of threads
	watches time.Duration  // of resolutions that are left
}

// steps are the turns of latency, or the passes with one number of threads.
type steps struct {
	left, made int
	took       time.Duration
	longest    time.Duration // single step, 0 if they were measured together
}

func (s *steps) add(took time.Duration, made int) {
	s.left, s.made, s.took = s.left-made, s.made+made, s.took+took
	if made == 1 {
		s.longest = max(s.longest, took)
	}
}

// each returns the mean, of a few without the longest: a step can take seconds if a machine is very busy.
func (s *steps) each() time.Duration {
	if s.made >= enoughSteps && s.longest > 0 {
		return (s.took - s.longest) / time.Duration(s.made-1)
	}
	return s.took / time.Duration(max(1, s.made))
}

// enoughSteps is the number of steps whose mean does not depend on one.
const enoughSteps = 4

// left returns how long the rest of the run takes. What passes take beyond their span grows with the number of
// threads, about as its logarithm: beside other programs, few threads wait almost as long as many.
func (f *forecast) left(span func(threads int) time.Duration) time.Duration {
	left := time.Duration(f.turns.left)*f.turns.each() + f.watches
	numbers := slices.Sorted(maps.Keys(f.passes))
	measured := slices.DeleteFunc(slices.Clone(numbers), func(n int) bool { return f.passes[n].made == 0 })
	beyond := func(n int) float64 { return float64(f.passes[n].each() - span(n)) }
	for _, n := range numbers {
		of := f.passes[n]
		if of.left == 0 {
			continue
		}
		i, exact := slices.BinarySearch(measured, n)
		more := 0.0
		switch {
		case exact, i == 0 && len(measured) > 0:
			more = beyond(measured[i])
		case i > 0 && i == len(measured):
			more = beyond(measured[i-1])
		case i > 0:
			low, high := measured[i-1], measured[i]
			share := math.Log(float64(n)/float64(low)) / math.Log(float64(high)/float64(low))
			more = beyond(low) + (beyond(high)-beyond(low))*share
		}
		left += time.Duration(of.left) * (span(n) + time.Duration(more))
	}
	return left
}

// enoughProbed is the time of steps of one kind that shows how long they take. In less, a thread is hardly interrupted.
const enoughProbed = 200 * time.Millisecond

// probe runs some of the first passes with the smallest and the largest number of threads, if passes are short, so that
// the forecast is known, and returns false if the run ended first.
func (r *runner) probe(blocks [][]*throughput) bool {
	for _, threads := range ordered(r.settings.Threads)[:min(2, len(r.settings.Threads))] {
		probed := r.forecast.passes[threads]
		for i, block := range blocks {
			for len(block) > 0 && block[0].threads == threads && r.progress != nil &&
				r.settings.passSpan(threads) < enoughProbed && (probed.made < enoughSteps || probed.took < enoughProbed) {
				first := block[:1]
				block = block[1:]
				if !r.throughput([][]*throughput{first}) {
					return false
				}
			}
			blocks[i] = block
		}
	}
	r.forecast.known = true
	return true
}

// tell reports the progress, if it is known how long the run takes.
func (r *runner) tell() {
	if r.progress == nil || !r.forecast.known {
		return
	}
	done := time.Duration(r.now() - r.forecast.begunNS)
	r.progress(done, done+inTime(r.ctx, r.forecast.left(r.settings.passSpan)))
}

// inTime returns the duration, or the time until the deadline of ctx if that is shorter.
func inTime(ctx context.Context, d time.Duration) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return max(0, min(d, time.Until(deadline)))
	}
	return d
}
