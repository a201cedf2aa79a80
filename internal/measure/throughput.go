package measure

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/stats"
	"github.com/timebench/timebench/internal/thread"
)

// passesPerMeasurement is into how many passes a throughput measurement is cut
// where every thread has a CPU of its own. Where threads share CPUs it is made
// in one piece: the scheduler's slices are milliseconds, and each thread must
// get its turns.
const passesPerMeasurement = 5

func (s Settings) passes(threads int) int {
	if s.oversubscribed(threads) {
		return 1
	}
	return passesPerMeasurement
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
	perSecond      []float64 // of all threads together, one a pass
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

// throughput measures every subject under every number of threads, pass by pass.
func (r *runner) throughput() {
	passes := r.plan()
	if len(passes) == 0 || r.ended() {
		return
	}
	most := slices.Max(r.settings.Threads)
	// GOMAXPROCS limits how many goroutines run, so without this most of many
	// threads would never start. Two more serve the runner itself.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), most+2)))
	var measured []*throughput
	started := 0 // workers since the last collection
	for _, pass := range passes {
		rand.Shuffle(len(pass), func(i, j int) { pass[i], pass[j] = pass[j], pass[i] })
		for _, t := range pass {
			if t.subject.failed() {
				continue
			}
			complete, err := r.pass(t)
			switch {
			case r.ended() && !complete:
				r.keep(measured)
				return
			case err != nil:
				t.subject.err = err
			case len(t.perSecond) == 1:
				measured = append(measured, t)
			}
			r.glance()
			// Each worker is a thread that leaves a little garbage, which nobody
			// else collects during a run.
			if started += t.threads; started > 5000 {
				runtime.GC()
				started = 0
			}
		}
	}
	r.keep(measured)
}

// keep gives the subjects their measurements in the order of the threads.
func (r *runner) keep(measured []*throughput) {
	slices.SortFunc(measured, func(a, b *throughput) int { return a.threads - b.threads })
	for _, t := range measured {
		t.subject.throughput = append(t.subject.throughput, t)
	}
}

// plan lists what is measured in each pass.
func (r *runner) plan() [][]*throughput {
	passes := make([][]*throughput, passesPerMeasurement)
	next := 0
	for _, s := range r.subjects {
		if s.failed() {
			continue
		}
		for _, threads := range r.settings.Threads {
			t := &throughput{
				subject: s, threads: threads, reads: make([]int64, threads),
				oversubscribed: r.settings.oversubscribed(threads),
			}
			n := r.settings.passes(threads)
			for i := range n {
				at := (next + i) % len(passes)
				passes[at] = append(passes[at], t)
			}
			next += n % len(passes)
		}
	}
	return slices.DeleteFunc(passes, func(pass []*throughput) bool { return len(pass) == 0 })
}

// pass makes one pass of a measurement and reports whether it was complete.
func (r *runner) pass(t *throughput) (complete bool, err error) {
	passes := time.Duration(r.settings.passes(t.threads))
	span := r.settings.span(t.threads) / passes
	defer r.tell((r.settings.span(t.threads) + r.settings.overhead(t.threads)) / passes)
	chunk := readsIn(throughputChunk, t.subject.readNS)
	g := r.crew.gate()
	g.reset()
	if err := r.crew.start(t.subject.clock, chunk, t.threads, r.settings.seats(t.threads)); err != nil {
		return false, err
	}
	released := g.open(r.ctx, t.threads)
	complete = sleep(r.ctx, span)
	g.stop.Store(1)
	if err := r.crew.wait(); err != nil {
		return false, err
	}
	if !complete {
		return false, nil
	}
	perSecond := 0.0
	for i := range t.threads {
		slot := &g.slots[i]
		spent := slot.endNS.Load() - released
		if spent <= 0 {
			return false, fmt.Errorf("worker %d of %d ended before it began", i, t.threads)
		}
		perSecond += float64(slot.reads.Load()) * 1e9 / float64(spent)
		t.reads[i] += slot.reads.Load()
	}
	t.perSecond = append(t.perSecond, perSecond)
	return true, nil
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
