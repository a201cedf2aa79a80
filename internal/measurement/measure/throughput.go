package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/instrument/stats"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/measurement/compare"
)

// These constants determine the passes of one throughput measurement. If every thread has a CPU of its own, each pass
// is one sample: the sum of the rates of the workers' median slices.
//
// If threads share CPUs, waiting is part of the result, so a sample counts all reads. The passes are fewer and longer,
// because the scheduler's slices are milliseconds and each thread must get its turns. Each pass then has several
// windows. If a quota is used up, there is one pass with one window.
//
// Each pass starts its threads, which takes longer the more there are. So many threads have
// fewer passes, and every pass has at least the shortest span.
const (
	passesPerMeasurement = 20
	passesOfManyThreads  = 10
	fewestPasses         = 8
	manyThreads          = 64
	shortestPass         = time.Millisecond
	passesOversubscribed = 2
	windowsPerPass       = 5
	// shortestWindow is the shortest window that gives a rate: workers update their counters every throughputChunk.
	shortestWindow = 50 * throughputChunk
)

func (s Settings) passes(threads int) int {
	switch {
	case s.throttled(threads):
		return 1
	case s.oversubscribed(threads):
		return passesOversubscribed
	}
	most := passesPerMeasurement
	if threads > manyThreads {
		most = passesOfManyThreads
	}
	return max(fewestPasses, min(most, int(s.Time/shortestPass)))
}

func (s Settings) windows(threads int) int {
	// Under a real-time policy the runner reads the counters only when the workers yield their CPUs.
	if s.throttled(threads) || !s.oversubscribed(threads) || s.realTime {
		return 1
	}
	pass := s.span(threads) / time.Duration(s.passes(threads))
	return max(1, min(windowsPerPass, int(pass/shortestWindow)))
}

// oversubscribed returns whether this number of threads gets less than one CPU each.
func (s Settings) oversubscribed(threads int) bool {
	cpus := s.CPUs
	if len(s.Pin) > 0 {
		cpus = min(cpus, len(s.Pin))
	}
	return threads > cpus || s.throttled(threads)
}

func (s Settings) throttled(threads int) bool {
	return s.Quota > 0 && float64(min(threads, s.CPUs)) > s.Quota
}

// span returns how long a measurement with this number of threads takes: Time, or enough periods of a quota that the
// share of each thread does not depend on where the first period began.
func (s Settings) span(threads int) time.Duration {
	const periods = 3
	if s.throttled(threads) {
		return max(s.Time, periods*s.QuotaPeriod)
	}
	return s.Time
}

// A throughput is the throughput of one clock with one number of threads.
type throughput struct {
	subject        *subject
	threads        int
	oversubscribed bool
	planned        int       // passes
	complete       int       // passes
	starved        int       // complete passes in which a thread had no CPU for most of the time
	err            error     // why a pass failed, after which there are no more
	perSecond      []float64 // samples of all threads together
	fairness       []float64 // of each pass
	reads          int64     // of all threads, over all passes
	spentNS        int64     // time of the reads, from the gate's opening to the last worker's end
}

func (t *throughput) result() compare.Throughput {
	perSecond := stats.Median(t.perSecond)
	r := compare.Throughput{
		Threads: t.threads, ReadsPerSecond: perSecond, Oversubscribed: t.oversubscribed, SamplesReadsPerSecond: t.perSecond,
	}
	if perSecond > 0 {
		r.NSPerRead = float64(t.threads) * 1e9 / perSecond
	}
	if t.spentNS > 0 {
		r.CountedReadsPerSecond = float64(t.reads) * 1e9 / float64(t.spentNS)
	}
	if len(t.fairness) > 0 {
		r.Fairness = stats.Median(t.fairness)
	}
	return r
}

// sufficient is the number of passes whose median one disturbed pass does not move. In a run without enough time, each
// measurement has so many before any has more.
const sufficient = 3

// throughput runs the passes until the time is up, and returns those that are left; ok is false if the run ended first.
// The smallest number of threads comes first: the crew only has to grow, and if the time is short, the figures of few
// threads are complete. One pass of the smallest number is always run.
func (r *runner) throughput(passes []*throughput, until int64) (left []*throughput, ok bool) {
	defer r.team.rest()
	rand.Shuffle(len(passes), func(i, j int) { passes[i], passes[j] = passes[j], passes[i] })
	fewest := slices.Min(r.settings.Threads)
	for len(passes) > 0 {
		t := slices.MinFunc(passes, func(a, b *throughput) int {
			return cmp.Or(min(a.complete/sufficient, 1)-min(b.complete/sufficient, 1), a.threads-b.threads, a.complete-b.complete)
		})
		i := slices.Index(passes, t)
		passes = slices.Delete(passes, i, i+1)
		if t.subject.failed() || t.err != nil || r.spoilt != nil || r.outgrown(t) {
			continue
		}
		if r.now() >= until && (t.threads > fewest || t.complete > 0) {
			left = append(left, t)
			continue
		}
		if r.ended() {
			return nil, false
		}
		complete, err := r.pass(t)
		if r.ended() && !complete {
			return nil, false
		}
		r.settle(t, err)
		r.glance()
		// Each assignment leaves a little garbage, and the garbage collector is off during a run.
		if r.started += t.threads; r.started > 5000 {
			runtime.GC()
			r.started = 0
		}
	}
	return left, true
}

// settle decides what the error of a pass costs: the run a CPU or its workers, the clock all its
// figures, or no more than this figure.
func (r *runner) settle(t *throughput, err error) {
	gone, lost := errors.AsType[*lostCPU](err)
	failed, unread := errors.AsType[*failedRead](err)
	switch {
	case lost:
		r.team.rest() // its threads are pinned
		r.lose(gone.cpu)
	case r.team.broken() != nil:
		r.spoilt = r.team.broken()
	case unread:
		t.subject.err = failed
	case err != nil:
		t.err = first(err)
	}
}

// outgrown returns whether a measurement is no longer continued because CPUs went away: no CPU is left to pin to, or
// the threads no longer have a CPU each. A measurement without samples continues on the remaining CPUs.
func (r *runner) outgrown(t *throughput) bool {
	if r.noCPU {
		return true
	}
	oversubscribed := r.settings.oversubscribed(t.threads)
	if oversubscribed != t.oversubscribed && len(t.perSecond) == 0 {
		t.oversubscribed = oversubscribed
	}
	return oversubscribed != t.oversubscribed
}

// plan creates the measurements of every subject, in ascending order of the threads, and returns those of each pass.
func (r *runner) plan() [][]*throughput {
	passes := make([][]*throughput, passesPerMeasurement)
	next := 0
	for _, s := range r.subjects {
		if s.failed() {
			continue
		}
		for _, threads := range slices.Sorted(slices.Values(r.settings.Threads)) {
			n := r.settings.passes(threads)
			t := &throughput{
				subject: s, threads: threads, planned: n,
				oversubscribed: r.settings.oversubscribed(threads),
			}
			s.throughput = append(s.throughput, t)
			for i := range n {
				at := (next + i*len(passes)/n) % len(passes)
				passes[at] = append(passes[at], t)
			}
			next++
		}
	}
	return passes
}

// pass runs one pass of a measurement and returns whether it was complete.
func (r *runner) pass(t *throughput) (complete bool, err error) {
	passes := time.Duration(r.settings.passes(t.threads))
	span := r.settings.span(t.threads) / passes
	defer r.tell((r.settings.span(t.threads) + r.settings.overhead(t.threads)) / passes)
	pace := r.pace(t, span)
	g := r.team.gate()
	g.reset(t.threads)
	if err := r.team.start(t.subject.clock, pace, t.threads, r.settings.affinities()); err != nil {
		return false, err
	}
	released := g.open(r.ctx, t.threads)
	samples, complete := r.sampled(t.threads, released, span)
	g.stop.Store(1)
	if err := r.team.wait(); err != nil {
		return false, err
	}
	if !complete {
		return false, nil
	}
	return true, t.count(g, pace, samples)
}

// count adds the counts of the workers of one pass. If there are no samples, the pass is one sample.
func (t *throughput) count(g *gate, p pace, samples []float64) error {
	perSecond, least, most, end := 0.0, int64(math.MaxInt64), int64(0), int64(0)
	for i := range t.threads {
		worker, ok := g.perSecond(i, p)
		if !ok {
			return fmt.Errorf("worker %d of %d ended before it began", i, t.threads)
		}
		perSecond += worker
		reads := g.slots[i].reads.Load()
		least, most = min(least, reads), max(most, reads)
		end = max(end, g.slots[i].endNS.Load())
	}
	if len(samples) == 0 {
		samples = []float64{perSecond}
	}
	t.complete++
	if !t.oversubscribed && g.starved(t.threads, p) {
		t.starved++
	}
	t.perSecond = append(t.perSecond, samples...)
	t.reads += g.reads(t.threads)
	t.spentNS += end - g.releasedNS.Load()
	// Fairness is computed within a pass: in the next pass the threads run on other CPUs, so
	// over all passes a CPU with a slow clock would not show.
	if most > 0 {
		t.fairness = append(t.fairness, float64(least)/float64(most))
	}
	return nil
}

// pace returns how the workers of a pass read: in slices, all of which a worker can keep, or
// without slices if they share CPUs.
func (r *runner) pace(t *throughput, span time.Duration) pace {
	const (
		// Slow and fast clocks have the same number of slices in a pass, or none: all samples
		// of one measurement are made alike.
		enough = 9
		// slicesPerCheck is the number of the shortest slices between two checks of the deadline;
		// overtime is how long after its span a worker waits to be stopped.
		slicesPerCheck = 10
		overtime       = 2 * time.Second
	)
	p := pace{Chunk: observe.ReadsIn(throughputChunk, t.subject.readNS), Yield: r.settings.realTime, SpanNS: int64(span + overtime)}
	chunkNS := float64(p.Chunk) * t.subject.readNS
	calls := func(span time.Duration) int { return int(min(max(1, float64(span)/chunkNS+0.5), math.MaxInt32)) }
	slice := max(r.settings.slice(), span/(mostSlices-1))
	p.Keep = !t.oversubscribed
	p.Median = p.Keep && span >= enough*slice
	p.Slice, p.Check = calls(slice), calls(slicesPerCheck*r.settings.slice())
	return p
}

// sampled waits for the span of a pass, and returns false if the run ended first. If threads share CPUs, it returns the
// reads/s of each window: those of all threads by then, because the last thread to get a CPU may end long after.
func (r *runner) sampled(threads int, released int64, span time.Duration) (samples []float64, complete bool) {
	if !r.settings.oversubscribed(threads) {
		return nil, sleep(r.ctx, span)
	}
	windows := r.settings.windows(threads)
	last, lastReads := released, int64(0)
	for range windows {
		if !sleep(r.ctx, span/time.Duration(windows)) {
			return nil, false
		}
		now, reads := observe.Now(), r.team.gate().reads(threads)
		samples = append(samples, float64(reads-lastReads)*1e9/float64(now-last))
		last, lastReads = now, reads
	}
	return samples, true
}

// sleep waits for the span, and returns false if the context ended first. It rarely checks
// the context, because each wakeup needs a CPU.
func sleep(ctx context.Context, span time.Duration) bool {
	const nap = 100 * time.Millisecond
	end := observe.Now() + int64(span)
	for left := span; left > 0; left = time.Duration(end - observe.Now()) {
		if ctx.Err() != nil {
			return false
		}
		thread.Sleep(min(left, nap))
	}
	return true
}

// MostThreads is the max number of threads that can be measured.
const MostThreads = 1024

// ParseThreads parses numbers of threads: "1,2,4", "1..24", or "1..24/4" for every fourth
// from 1 on. The result is in ascending order, each number once.
func ParseThreads(list string) ([]int, error) {
	var all []int
	for _, part := range strings.Split(list, ",") {
		numbers, err := parseRange(part)
		if err != nil {
			return nil, err
		}
		all = append(all, numbers...)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

func parseRange(part string) ([]int, error) {
	text, stepText, stepped := strings.Cut(part, "/")
	firstText, lastText, isRange := strings.Cut(text, "..")
	malformed := fmt.Errorf("%q is not a number of threads; write 4, 1,2,4, 1..24 or 1..24/4", part)
	first, err := strconv.Atoi(firstText)
	if err != nil || stepped && !isRange {
		return nil, malformed
	}
	last, step := first, 1
	if isRange {
		if last, err = strconv.Atoi(lastText); err != nil {
			return nil, malformed
		}
	}
	if stepped {
		if step, err = strconv.Atoi(stepText); err != nil || step < 1 || step > MostThreads {
			return nil, malformed
		}
	}
	switch {
	case first < 1:
		return nil, fmt.Errorf("%q has %d threads; the fewest is 1", part, first)
	case last < first:
		return nil, fmt.Errorf("%q runs backwards; write %d..%d", part, last, first)
	case last > MostThreads:
		return nil, fmt.Errorf("%q has %d threads; the most is %d", part, last, MostThreads)
	}
	var numbers []int
	for n := first; n <= last; n += step {
		numbers = append(numbers, n)
	}
	return numbers, nil
}

// DefaultThreads returns the powers of two up to the number of CPUs, and that number itself.
func DefaultThreads(cpus int) []int {
	cpus = min(cpus, MostThreads)
	var numbers []int
	for n := 1; n < cpus; n *= 2 {
		numbers = append(numbers, n)
	}
	return append(numbers, cpus)
}
