package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
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
	"gonum.org/v1/gonum/stat"
)

// These constants determine the passes of a throughput measurement. If every thread has a CPU of its own, each pass is
// one sample: the sum of the rates of the workers' median slices.
//
// If threads share CPUs, waiting is part of the result, so a sample counts all reads, and the result has all reads of
// all samples. The passes are fewer and longer, because the scheduler's slices are milliseconds and each thread must
// get its turns. Each pass then has several windows. If a quota is used up, there is one pass with one window.
//
// Each pass starts its threads, which takes longer with more threads. Therefore many threads have fewer passes, and
// every pass has at least the shortest span.
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
	return max(1, min(windowsPerPass, int(s.passSpan(threads)/shortestWindow)))
}

// oversubscribed returns whether this number of threads gets less than one CPU each.
func (s Settings) oversubscribed(threads int) bool {
	cpus := s.CPU.Usable
	if len(s.Pin) > 0 {
		cpus = min(cpus, len(s.Pin))
	}
	return threads > cpus || s.throttled(threads)
}

func (s Settings) throttled(threads int) bool {
	return s.CPU.Quota > 0 && float64(min(threads, s.CPU.Usable)) > s.CPU.Quota
}

// span returns how long a measurement with this number of threads takes: Time, or enough periods of a quota that the
// share of each thread does not depend on where the first period began.
func (s Settings) span(threads int) time.Duration {
	const periods = 3
	if s.throttled(threads) {
		return max(s.Time, periods*time.Duration(s.CPU.QuotaPeriodNS))
	}
	return s.Time
}

func (s Settings) passSpan(threads int) time.Duration {
	return s.span(threads) / time.Duration(s.passes(threads))
}

// A throughput is the measurement of a clock with a number of threads.
type throughput struct {
	subject        *subject
	threads        int
	oversubscribed bool
	planned        int     // passes
	complete       int     // passes
	starved        int     // complete passes in which a thread had no CPU for most of the time, although there is one for each
	err            error   // why a pass failed; no pass follows
	sound, hungry  samples // of the passes without and with a starved thread
	reads          int64   // of all threads, over all passes
	spentNS        int64   // time of the reads: from the gate's opening to the end of the last window or worker
}

// samples are the figures of passes.
type samples struct {
	perSecond []float64 // of all threads together
	fairness  []float64 // of each pass
}

// result returns the figure of at least one pass: the median of the passes in which each thread had its CPU. With too
// few of these passes, it is disturbed: the level of the fastest passes. If threads share CPUs, it is all reads by the
// time of all windows: beside other programs windows differ in length, and their median leaves out the long waits.
func (t *throughput) result() compare.Throughput {
	of, disturbed := t.sound, false
	var perSecond float64
	if t.complete-t.starved < min(sufficient, t.planned) && t.starved > 0 {
		of = samples{slices.Concat(of.perSecond, t.hungry.perSecond), slices.Concat(of.fairness, t.hungry.fairness)}
		disturbed, perSecond = true, min(1/stats.Level(inverse(of.perSecond)), slices.Max(of.perSecond)) // it is rounded
	} else {
		perSecond = stats.Median(of.perSecond)
	}
	r := compare.Throughput{Threads: t.threads, Oversubscribed: t.oversubscribed, Disturbed: disturbed,
		SamplesReadsPerSecond: of.perSecond}
	if t.spentNS > 0 {
		r.CountedReadsPerSecond = float64(t.reads) * 1e9 / float64(t.spentNS)
	}
	if least, most := slices.Min(of.perSecond), slices.Max(of.perSecond); t.oversubscribed {
		r.Disturbed = least == 0 // the threads had no CPU because of other programs
		// A document has no figure beyond its samples, and rounding moves the count of equal windows there.
		perSecond = max(least, min(r.CountedReadsPerSecond, most))
	}
	if r.ReadsPerSecond = perSecond; perSecond > 0 {
		r.NSPerRead = float64(t.threads) * 1e9 / perSecond
	}
	if len(of.fairness) > 0 {
		r.Fairness = stats.Median(of.fairness)
	}
	return r
}

func inverse(rates []float64) []float64 {
	times := make([]float64, len(rates))
	for i, rate := range rates {
		times[i] = 1 / rate
	}
	return times
}

// sufficient is the number of passes whose median one disturbed pass does not move. A number of threads has figures if
// every clock has this number of passes, or all planned passes.
const sufficient = 3

// throughput runs the passes of the blocks, and returns false if the run ended first.
func (r *runner) throughput(blocks [][]*throughput) bool {
	defer r.team.keep(0)
	for _, block := range blocks {
		rand.Shuffle(len(block), func(i, j int) { block[i], block[j] = block[j], block[i] })
		for _, t := range block {
			if t.subject.failed() || t.err != nil {
				r.forecast.spans -= r.settings.passSpan(t.threads)
				r.forecast.passes.left -= t.threads
				continue
			}
			if r.ended() {
				return false
			}
			begun := r.now()
			complete, failed := r.pass(t)
			if r.ended() && !complete {
				return false
			}
			if r.settle(t, failed); r.endedBy != nil {
				return false
			}
			r.watchAgain()
			span := r.settings.passSpan(t.threads)
			r.forecast.spans -= span
			r.forecast.passes.add(time.Duration(r.now()-begun)-span, t.threads)
			r.report()
			// Each assignment leaves a little garbage, and the garbage collector is off during a run.
			if r.started += t.threads; r.started > 5000 {
				runtime.GC()
				r.started = 0
			}
		}
		r.forecast.blocks++
		if !r.forecast.probed && len(block) > 0 && block[0].threads == slices.Max(r.settings.Threads) {
			r.forecast.probed = true
			r.report()
		}
	}
	return true
}

// settle handles the failure of a pass.
func (r *runner) settle(t *throughput, f *failure) {
	switch {
	case f == nil:
	case f.Cost == theRun:
		r.endedBy = errors.New(f.Reason)
	case f.Cost == theClock:
		t.subject.err = errors.New(f.Reason)
	default:
		t.err = errors.New(f.Reason)
	}
}

// plan creates the measurements of every subject, and returns their blocks in the order in which they run. A block has
// one pass of each subject with the same number of threads. Each number has its first blocks in the order of [ordered],
// so that a run that ends early has the same numbers for every clock. The others are spread over the rest of the run.
func (r *runner) plan() (blocks [][]*throughput) {
	type dated struct {
		block []*throughput
		due   float64 // share of the run before it
	}
	var all []dated
	total, begun := time.Duration(0), time.Duration(0)
	for _, threads := range r.settings.Threads {
		total += r.settings.span(threads)
	}
	for _, threads := range ordered(r.settings.Threads) {
		n := r.settings.passes(threads)
		var block []*throughput
		for _, s := range r.subjects {
			if s.failed() {
				continue
			}
			t := &throughput{subject: s, threads: threads, planned: n,
				oversubscribed: r.settings.oversubscribed(threads)}
			s.throughput, block = append(s.throughput, t), append(block, t)
		}
		r.forecast.passes.left += n * len(block) * threads
		r.forecast.spans += time.Duration(n*len(block)) * r.settings.passSpan(threads)
		first, due := min(n, sufficient), begun.Seconds()/total.Seconds()
		for i := range n {
			later := float64(max(0, i-first+1)) / float64(n-first+1)
			all = append(all, dated{slices.Clone(block), due + (1-due)*later})
		}
		begun += r.settings.span(threads) * time.Duration(first) / time.Duration(n)
	}
	slices.SortStableFunc(all, func(a, b dated) int { return cmp.Compare(a.due, b.due) })
	for _, one := range all {
		blocks = append(blocks, one.block)
	}
	return blocks
}

// ordered returns the numbers of threads in the order in which they are measured: both ends, the powers of two, and
// the others.
func ordered(threads []int) (order []int) {
	fewest, most := slices.Min(threads), slices.Max(threads)
	rank := func(n int) int {
		switch {
		case n == fewest:
			return 0
		case n == most:
			return 1
		case bits.OnesCount(uint(n)) == 1:
			return 2
		}
		return 3
	}
	order = slices.Clone(threads)
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(rank(a)-rank(b), a-b) })
	return order
}

// pass runs one pass of a measurement and returns whether it was complete.
func (r *runner) pass(t *throughput) (complete bool, f *failure) {
	span := r.settings.passSpan(t.threads)
	pace := r.pace(t, span)
	workers := assign(r.team, t.subject.clock, pace, r.settings.affinities(t.threads))
	g := r.team.gate()
	released := g.open(r.ctx, t.threads)
	seen, complete := r.windows(t.threads, released, span)
	g.stop.Store(1)
	if f := workers.wait(patience(t.threads)); f != nil || !complete {
		return false, f
	}
	return true, t.count(g, pace, seen)
}

// windowed is what was read in parts of a pass whose threads share CPUs.
type windowed struct {
	perSecond []float64 // of all threads together, in each window
	reads     int64     // of all threads, in all windows
	spentNS   int64     // the time of all windows
}

// count adds the counts of the workers of a pass. Without windows, the pass is one sample.
func (t *throughput) count(g *gate, p pace, seen windowed) *failure {
	perSecond, least, most, end := 0.0, int64(math.MaxInt64), int64(0), int64(0)
	var sliced []float64
	for i := range t.threads {
		worker, ok := g.perSecond(i, p)
		if !ok {
			return &failure{fmt.Sprintf("worker %d of %d ended before it began", i, t.threads), aFigure}
		}
		perSecond += worker
		if g.sliced(i, p) {
			sliced = append(sliced, worker)
		}
		reads := g.slots[i].reads.Load()
		least, most = min(least, reads), max(most, reads)
		end = max(end, g.slots[i].endNS.Load())
	}
	of := &t.sound
	if !t.oversubscribed && g.starved(t.threads, p) {
		t.starved++
		of = &t.hungry
		// A worker without slices had no CPU, and the others show what a read costs.
		if len(sliced) > 0 {
			perSecond = stat.Mean(sliced, nil) * float64(t.threads)
		}
	}
	if len(seen.perSecond) == 0 {
		seen = windowed{[]float64{perSecond}, g.reads(t.threads), end - g.releasedNS.Load()}
	}
	t.complete++
	of.perSecond = append(of.perSecond, seen.perSecond...)
	t.reads, t.spentNS = t.reads+seen.reads, t.spentNS+seen.spentNS
	// Fairness is computed within a pass: in the next pass the threads run on other CPUs, so
	// over all passes a CPU with a slow clock would not show.
	if most > 0 {
		of.fairness = append(of.fairness, float64(least)/float64(most))
	}
	return nil
}

// pace returns how the workers of a pass read: in slices, few enough for a worker to keep, or without slices if they
// share CPUs.
func (r *runner) pace(t *throughput, span time.Duration) pace {
	const (
		// Slow and fast clocks have the same number of slices in a pass, or none: all samples of a measurement are made
		// alike.
		enough = 9
		// overtime is how long after its span a worker waits to be stopped.
		overtime = 2 * time.Second
	)
	p := pace{Chunk: observe.ReadsIn(throughputChunk, t.subject.readNS), Yield: r.settings.realTime,
		SpanNS: int64(span + overtime)}
	slice := max(r.settings.slice(), span/(mostSlices-1))
	p.Keep = !t.oversubscribed
	p.Median = p.Keep && span >= enough*slice
	p.Slice = int(min(max(1, float64(slice)/(float64(p.Chunk)*t.subject.readNS)+0.5), math.MaxInt32))
	return p
}

// windows waits for the span of a pass, and returns false if the run ended first. If threads share CPUs, it returns
// windows, counted over all threads, because the last thread to get a CPU may end long after.
func (r *runner) windows(threads int, released int64, span time.Duration) (seen windowed, complete bool) {
	if !r.settings.oversubscribed(threads) {
		return seen, sleep(r.ctx, span)
	}
	n := r.settings.windows(threads)
	for range n {
		if !sleep(r.ctx, span/time.Duration(n)) {
			return seen, false
		}
		spentNS, reads := observe.Now()-released, r.team.gate().reads(threads)
		seen = windowed{append(seen.perSecond, float64(reads-seen.reads)*1e9/float64(spentNS-seen.spentNS)), reads, spentNS}
	}
	return seen, true
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
