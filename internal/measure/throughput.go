package measure

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/stats"
	"github.com/timebench/timebench/internal/thread"
)

// passesPerMeasurement is into how many passes a throughput measurement is cut
// where every thread has a CPU of its own: the figure of each is a sample, the sum
// of what each worker's median slice says. Where threads share CPUs waiting is part
// of the figure, so it is a count of all reads; and there are fewer, longer passes,
// since the scheduler's slices are milliseconds and each thread must get its turns.
// Each is then looked at in several windows. Where a quota is used up there is one
// pass, in one window.
const (
	passesPerMeasurement = 20
	passesOversubscribed = 2
	windowsPerPass       = 5
	// shortestWindow is the shortest span in which a look at the counters of
	// workers, who update them every throughputChunk, tells a rate.
	shortestWindow = 50 * throughputChunk
)

func (s Settings) passes(threads int) int {
	switch {
	case s.throttled(threads):
		return 1
	case s.oversubscribed(threads):
		return passesOversubscribed
	default:
		return passesPerMeasurement
	}
}

// windows is how many samples one pass gives.
func (s Settings) windows(threads int) int {
	if s.throttled(threads) || !s.oversubscribed(threads) {
		return 1
	}
	pass := s.span(threads) / time.Duration(s.passes(threads))
	return max(1, min(windowsPerPass, int(pass/shortestWindow)))
}

// oversubscribed reports whether so many threads get less than a CPU each.
func (s Settings) oversubscribed(threads int) bool {
	cpus := s.CPUs
	if len(s.Pin) > 0 {
		cpus = min(cpus, len(s.Pin))
	}
	return threads > cpus || s.throttled(threads)
}

// throttled reports whether so many threads use up the quota.
func (s Settings) throttled(threads int) bool {
	return s.Quota > 0 && float64(min(threads, s.CPUs)) > s.Quota
}

// span is how long a measurement with so many threads takes: Time, or so many
// periods of a quota that the share of each thread is not an accident of where
// the first began.
func (s Settings) span(threads int) time.Duration {
	const periods = 3
	if s.throttled(threads) {
		return max(s.Time, periods*s.QuotaPeriod)
	}
	return s.Time
}

// A throughput is one clock under one number of threads.
type throughput struct {
	subject        *subject
	threads        int
	oversubscribed bool
	perSecond      []float64 // samples of all threads together
	reads          []int64   // of each thread, over all passes
}

func (t *throughput) result() result.Throughput {
	perSecond := stats.Median(t.perSecond)
	r := result.Throughput{
		Threads: t.threads, ReadsPerSecond: perSecond, Oversubscribed: t.oversubscribed, SamplesReadsPerSecond: t.perSecond,
	}
	if perSecond > 0 {
		r.NSPerRead = float64(t.threads) * 1e9 / perSecond
	}
	if fastest := slices.Max(t.reads); fastest > 0 {
		r.Fairness = float64(slices.Min(t.reads)) / float64(fastest)
	}
	return r
}

// throughput makes one pass of measurements, and reports whether there was time
// for it.
func (r *runner) throughput(pass []*throughput) bool {
	rand.Shuffle(len(pass), func(i, j int) { pass[i], pass[j] = pass[j], pass[i] })
	for _, t := range pass {
		if t.subject.failed() {
			continue
		}
		if r.ended() {
			return false
		}
		complete, err := r.pass(t)
		switch {
		case r.ended() && !complete:
			return false
		case err != nil:
			t.subject.err = err
		}
		r.glance()
		// Each worker is a thread that leaves a little garbage, which nobody
		// else collects during a run.
		if r.started += t.threads; r.started > 5000 {
			runtime.GC()
			r.started = 0
		}
	}
	return true
}

// plan gives every subject its measurements, in the order of the threads, and
// lists what is measured in each pass.
func (r *runner) plan() [][]*throughput {
	passes := make([][]*throughput, passesPerMeasurement)
	next := 0
	for _, s := range r.subjects {
		if s.failed() {
			continue
		}
		for _, threads := range slices.Sorted(slices.Values(r.settings.Threads)) {
			t := &throughput{
				subject: s, threads: threads, reads: make([]int64, threads),
				oversubscribed: r.settings.oversubscribed(threads),
			}
			s.throughput = append(s.throughput, t)
			n := r.settings.passes(threads)
			for i := range n {
				at := (next + i*len(passes)/n) % len(passes)
				passes[at] = append(passes[at], t)
			}
			next++
		}
	}
	return passes
}

// pass makes one pass of a measurement and reports whether it was complete.
func (r *runner) pass(t *throughput) (complete bool, err error) {
	passes := time.Duration(r.settings.passes(t.threads))
	span := r.settings.span(t.threads) / passes
	defer r.tell((r.settings.span(t.threads) + r.settings.overhead(t.threads)) / passes)
	pace := r.pace(t, span)
	g := r.crew.gate()
	g.reset(t.threads)
	if err := r.crew.start(t.subject.clock, pace, t.threads, r.settings.seats(t.threads)); err != nil {
		return false, err
	}
	released := g.open(r.ctx, t.threads)
	samples, complete := r.look(t.threads, released, span)
	g.stop.Store(1)
	if err := r.crew.wait(); err != nil {
		return false, err
	}
	if !complete {
		return false, nil
	}
	perSecond := 0.0
	for i := range t.threads {
		worker, ok := g.perSecond(i, pace)
		if !ok {
			return false, fmt.Errorf("worker %d of %d ended before it began", i, t.threads)
		}
		perSecond += worker
		t.reads[i] += g.slots[i].reads.Load()
	}
	if len(samples) == 0 {
		samples = []float64{perSecond}
	}
	t.perSecond = append(t.perSecond, samples...)
	return true, nil
}

// pace is how the workers of a pass read: in slices of which a worker can keep
// all, or where they share CPUs, without.
func (r *runner) pace(t *throughput, span time.Duration) pace {
	p := pace{Chunk: readsIn(throughputChunk, t.subject.readNS), Slice: math.MaxInt32}
	// Slices are as many in a slow clock's pass as in a quick one's, or none: the
	// samples of one measurement are all made alike.
	const enough = 9
	if slice := max(r.settings.slice(), span/(mostSlices-1)); !t.oversubscribed && span >= enough*slice {
		chunkNS := float64(p.Chunk) * t.subject.readNS
		p.Slice = max(1, int(float64(slice)/chunkNS+0.5))
	}
	return p
}

// look waits for the span of a pass, and reports whether it was the whole one.
// Where threads share CPUs it returns the reads a second of each window: those of
// all threads by then, since the last of them to get a CPU may end long after.
func (r *runner) look(threads int, released int64, span time.Duration) (samples []float64, complete bool) {
	if !r.settings.oversubscribed(threads) {
		return nil, sleep(r.ctx, span)
	}
	windows := r.settings.windows(threads)
	last, lastReads := released, int64(0)
	for range windows {
		if !sleep(r.ctx, span/time.Duration(windows)) {
			return nil, false
		}
		now, reads := stopwatch(), r.crew.gate().reads(threads)
		samples = append(samples, float64(reads-lastReads)*1e9/float64(now-last))
		last, lastReads = now, reads
	}
	return samples, true
}

// sleep waits for the span and reports whether it was the whole one. It looks
// for the context's end now and then: seldom, since each waking takes a CPU.
func sleep(ctx context.Context, span time.Duration) bool {
	const nap = 100 * time.Millisecond
	end := stopwatch() + int64(span)
	for left := span; left > 0; left = time.Duration(end - stopwatch()) {
		if ctx.Err() != nil {
			return false
		}
		thread.Sleep(min(left, nap))
	}
	return true
}
