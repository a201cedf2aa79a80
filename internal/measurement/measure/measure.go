// Package measure measures clocks: the time of a read (latency), the granularity of the values (resolution), and the
// reads/s of several threads that read at the same time (throughput).
//
// The speed of a machine changes during a run: another program starts, a CPU gets warm, a hypervisor schedules another
// guest. So no clock is measured in one piece. Every round gives each clock a short turn, in a new random order, and
// rounds of latency alternate with passes of throughput over the whole run. The result is the median of the rounds, so
// a temporary disturbance affects all clocks alike. docs/measuring.md explains it.
//
// Latency and resolution are measured on one otherwise idle thread. Throughput is measured by a team of workers,
// threads or processes, which wait at a gate, start together and count reads for the same span.
package measure

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/clock/entry"
	"github.com/timebench/timebench/internal/document/result"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/instrument/stats"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/measurement/compare"
	"gonum.org/v1/gonum/stat"
)

// Settings are the settings of a run.
type Settings struct {
	// Threads are the numbers of threads to measure throughput with, from 1 to MostThreads; at least one number.
	Threads []int
	// Rounds is the number of latency samples of each clock, ≥ 1.
	Rounds int
	// Time is the span of each throughput measurement.
	Time time.Duration
	// Limit is the max duration of each run from the moment when each clock has its first figures, however slow the
	// machine is; 0 for no limit.
	Limit time.Duration
	// WithoutResolution leaves out the resolution: coarse clocks take long to tick.
	WithoutResolution bool
	// Distribution is how long single reads of each clock are timed, over all rounds; 0 for not at all.
	Distribution time.Duration
	// Pin is the order in which CPUs are assigned to threads, repeated if there are more
	// threads than CPUs. If it is empty, threads are not pinned.
	Pin []int
	// Processes is whether the workers of a throughput measurement are processes.
	Processes bool
	// CPU is what the process may use: the number of CPUs and the quota.
	CPU result.CPU
	// places are the CPUs in the order in which unpinned threads start on them: neighbours
	// are on different cores, so that no two threads share a core while another is idle. Run
	// sets it once, because reading the topology takes 0.1 ms for each CPU.
	places   []int
	realTime bool
}

// A Result is the result of a run.
type Result struct {
	// Costs have one entry for each clock, in the order given.
	compare.Costs
	// Runs is the number of runs that [Repeat] joined.
	Runs int
	// Interrupted is whether the context was canceled before the run was complete. A run whose time was up is not
	// interrupted.
	Interrupted bool
	// Conditions are the disturbances of the run.
	Conditions result.Conditions
	// EndedBy is why the run ended early, if it was neither a signal nor its time; nil otherwise.
	EndedBy error
}

const (
	// latencyTurn is the span of a latency sample: long enough that the two readings of the stopwatch are negligible,
	// short enough that the scheduler interrupts few turns.
	latencyTurn = 2500 * time.Microsecond
	// A default run takes less than ten seconds: throughputBudget plus roundsBudget, and the loops of the layers. A
	// span below the shortest would have too few reads for a sample.
	throughputBudget    = 4300 * time.Millisecond
	roundsBudget        = 3500 * time.Millisecond
	fewestDefaultRounds = 40
	longestDefaultTime  = 100 * time.Millisecond
	shortestDefaultTime = 10 * time.Millisecond
	// latencyChunk and throughputChunk are the spans of a native call; see package native. A worker checks for the end
	// of its span after each call.
	latencyChunk    = 100 * time.Microsecond
	throughputChunk = 20 * time.Microsecond
)

// Run measures the clocks. It ends early, with the results so far, when ctx ends. A clock that cannot be opened or that
// fails is an entry with a reason. The error is why nothing can be measured.
//
// The function progress may be nil. It is first called when the run has measured how long it takes on this machine, and
// then after each step. total is the expected time of all runs, and done the time until now.
func Run(ctx context.Context, clocks []clock.Clock, s Settings,
	progress func(done, total time.Duration)) (Result, error) {
	return Repeat(ctx, 1, clocks, s, progress)
}

// once makes one run. Its conditions have all passes.
func once(ctx context.Context, clocks []clock.Clock, s Settings,
	progress func(done, total time.Duration)) (Result, error) {
	// The garbage collector would stop every thread, and a run leaves little garbage.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	observe.TryStopwatch()
	s.places, s.realTime = thread.Spread(thread.Topology()), thread.RealTimePolicy() != ""
	workers, err := s.team(ctx, slices.Max(s.Threads))
	if err != nil {
		return Result{}, err
	}
	r := &runner{ctx: ctx, cancel: func() {}, team: workers, settings: s, progress: progress, now: observe.Now}
	defer func() { r.cancel() }()
	verdicts := clock.KernelEntries(clocks)
	for i, c := range clocks {
		r.subjects = append(r.subjects, &subject{clock: c, entry: verdicts[i]})
	}
	r.noise.Recorder = *Record()
	err = thread.Run(s.cpu(0), r.run)
	workers.close() // the time of worker processes is counted when they have ended
	if err != nil {
		return Result{}, err
	}
	r.noise.end()
	r.proveAgain()
	return r.result(), nil
}

// proveAgain checks again whether reads enter the kernel, if their latency or the clock source changed during the run.
// A result that was true for part of the run becomes "sometimes".
func (r *runner) proveAgain() {
	changed := len(r.noise.sources) > 1
	clocks := make([]clock.Clock, len(r.subjects))
	for i, s := range r.subjects {
		clocks[i] = s.clock
		changed = changed || s.replanned
	}
	if !changed {
		return
	}
	for i, now := range clock.KernelEntries(clocks) {
		s := r.subjects[i]
		switch {
		case now.Enters == s.entry.Enters || now.Enters == result.Unknown || now.Enters == "":
		case s.entry.Enters == result.Unknown || s.entry.Enters == "":
			s.entry = now
		default:
			s.entry = entry.Verdict{Enters: result.Sometimes, By: now.By}
		}
	}
}

// DefaultTime returns the span of each throughput measurement of this number of clocks, so that all of them fit in
// throughputBudget, including the start of the threads. It uses all settings except the times.
func (s Settings) DefaultTime(clocks int) time.Duration {
	s.Time = longestDefaultTime
	budget := throughputBudget
	for _, threads := range s.Threads {
		budget -= time.Duration(clocks) * s.overhead(threads)
	}
	share := budget / time.Duration(max(1, clocks*len(s.Threads)))
	return max(shortestDefaultTime, min(longestDefaultTime, share.Truncate(time.Millisecond)))
}

// DefaultRounds returns the default number of rounds for this number of clocks: as many as fit in roundsBudget, so that
// even the samples of a single clock are spread over time, and at least as many as a confidence interval needs. It uses
// the settings that determine the length of a turn: the quota.
func (s Settings) DefaultRounds(clocks int) int {
	turns := int(roundsBudget / max(latencyTurn, s.turn()))
	return max(fewestDefaultRounds, turns/(clocks+1)) // the floor has its turns too
}

// Estimate returns approximately how long a run over the clocks takes.
func (s Settings) Estimate(clocks []clock.Clock) time.Duration {
	n := time.Duration(len(clocks))
	total := (n + 1) * (time.Duration(s.Rounds)*s.turn() + calibration + s.Distribution)
	for _, c := range clocks {
		if !s.WithoutResolution {
			total += watching(c)
		}
	}
	// The loops of the layers: a read that enters the kernel, a read that does not, and its stand-in.
	const mostLoops = 8
	total += mostLoops * (time.Duration(min(s.Rounds, layeredRounds))*s.turn() + calibration)
	for _, threads := range s.Threads {
		total += n * (s.span(threads) + s.overhead(threads))
	}
	return total
}

// overhead returns approximately how long the runner takes to start and end this number of workers, over all passes of
// a measurement. The threads work in parallel.
func (s Settings) overhead(threads int) time.Duration {
	each := 13 * time.Microsecond // 10 for an existing thread, and 100 for a new one
	if s.Processes {
		each = 100 * time.Microsecond
	}
	return time.Duration(s.passes(threads)*threads) * each
}

func (s Settings) cpu(i int) int {
	if len(s.Pin) == 0 {
		return thread.Any
	}
	return s.Pin[i%len(s.Pin)]
}

// A subject is a clock and its samples so far.
type subject struct {
	clock      clock.Clock
	entry      entry.Verdict
	reader     clock.Reader
	err        error     // why it could not be opened, or failed
	readNS     float64   // approximate latency, for choosing chunks
	replanned  bool      // readNS changed during the measurement
	latency    []float64 // of each round
	fastest    []float64 // the fastest slice of each round
	resolution watcher
	rate       observe.Rate
	throughput []*throughput
	single     *hdrhistogram.Histogram // of single reads, in the bracket's ticks
}

// failed returns whether the subject has failed. It records an error of its reader's last read.
func (s *subject) failed() bool {
	if s.err == nil {
		s.err = clock.Failure(s.reader)
	}
	return s.err != nil
}

type runner struct {
	ctx      context.Context
	cancel   context.CancelFunc // of the time limit
	settings Settings
	team     team
	progress func(done, total time.Duration)
	now      func() int64 // the stopwatch for progress
	forecast forecast
	rounded  int // complete rounds
	subjects []*subject
	floor    *subject
	nests    []nest
	loops    []*subject // loops that are not clocks
	userMode *subject   // one of the loops: the stand-in for reads that enter the kernel; or nil
	bracket  *bracket   // nil if single reads are not timed
	noise    noise
	endedBy  error // why the run ended early: a CPU went away, or a worker process ended
	// started counts the workers since the last garbage collection.
	started int
}

func (r *runner) run() {
	r.forecast.begunNS = r.now()
	r.rounds(r.open())
	for _, s := range r.subjects {
		if !s.failed() {
			s.rate.End(s.reader)
		}
	}
	if r.bracket != nil {
		r.bracket.rate.End(r.bracket.reader)
	}
}

// open opens and calibrates every subject, and returns those whose latency is measured: the
// subjects, and the floor if there is one.
func (r *runner) open() []*subject {
	if r.settings.Distribution > 0 {
		r.bracket = openBracket()
	}
	var measured []*subject
	for _, s := range r.subjects {
		s.reader, s.err = s.clock.Open()
		if s.err == nil {
			measured = append(measured, s)
		}
	}
	if reader, err := clock.OpenFloor(); err == nil {
		r.floor = &subject{reader: reader}
		measured = append(measured, r.floor)
	}
	for _, s := range measured {
		s.readNS = observe.ReadNS(s.reader)
		if s != r.floor {
			s.rate.Begin(s.clock, s.reader)
		}
	}
	r.nest()
	return measured
}

// leadingRounds is the number of rounds of latency before the first pass of throughput, so
// that a long run that is interrupted early already has confidence intervals.
const leadingRounds = 6

// rounds gives every subject one turn of latency in each round, and spreads the blocks of throughput over the rounds.
func (r *runner) rounds(measured []*subject) {
	blocks := r.plan()
	r.forecast.turns.left = r.settings.Rounds*len(measured) + min(r.settings.Rounds, layeredRounds)*len(r.loops)
	// GOMAXPROCS limits how many goroutines run, so without this some threads would never
	// start. Two more run the runner itself.
	most := slices.Max(r.settings.Threads)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), most+2)))
	lead := min(leadingRounds, r.settings.Rounds-1)
	begun := 0
	for round := range r.settings.Rounds {
		if !r.round(round, measured) {
			return
		}
		if round+1 == max(1, lead) {
			if r.settings.Limit > 0 {
				begun = min(sufficient, r.settings.passes(slices.Min(r.settings.Threads)))
			}
			if !r.resolution() || !r.throughput(blocks[:begun]) {
				return
			}
			r.limit()
		}
		until := max(begun, len(blocks)*max(0, round+1-lead)/(r.settings.Rounds-lead))
		if !r.throughput(blocks[begun:until]) {
			return
		}
		begun = until
		r.noise.Glance()
		if cpu := r.settings.cpu(0); observe.Away(cpu) {
			r.endedBy = errors.New(wentAway(cpu).Reason)
			return
		}
	}
}

// limit begins the time limit of the run. Each clock has its latency, its resolution and a figure with the fewest
// threads by now: on a slow machine, with time for nothing else.
func (r *runner) limit() {
	if r.settings.Limit > 0 {
		r.ctx, r.cancel = context.WithTimeout(r.ctx, r.settings.Limit)
	}
}

// round gives every subject its turns of a round, counted from 0, and returns false if the run ended first.
func (r *runner) round(round int, measured []*subject) bool {
	timed, layered := measured, r.settings.layered(round)
	if layered {
		timed = slices.Concat(measured, r.loops)
	}
	begun := r.now()
	if !r.latency(timed) {
		return false
	}
	if layered {
		r.keep()
	}
	if !r.distribution(measured) {
		return false
	}
	r.rounded++
	r.forecast.turns.add(time.Duration(r.now()-begun), len(timed))
	r.report()
	return true
}

// latency gives every subject one turn, and returns false if the run ended first.
func (r *runner) latency(measured []*subject) bool {
	rand.Shuffle(len(measured), func(i, j int) { measured[i], measured[j] = measured[j], measured[i] })
	return r.each(measured, func(s *subject) {
		slice := r.settings.slice()
		sample := sampled(observe.TimeReads(s.reader, s.readNS, r.settings.turn(), slice), observe.Exact(slice))
		if !s.failed() {
			s.latency = append(s.latency, sample.median)
			s.fastest = append(s.fastest, sample.fastest)
			r.noise.add(sample.median, sample.mean)
			s.replan(sample.fastest)
		}
	})
}

// each measures the subjects that have not failed, and returns false if the run ended first.
func (r *runner) each(subjects []*subject, measure func(*subject)) bool {
	for _, s := range subjects {
		if r.ended() {
			return false
		}
		if !s.failed() {
			measure(s)
		}
	}
	return true
}

// replan plans the next reads of the subject by their current latency, if that changed by a
// factor of 2 or more: under another clock source of the kernel a read may take 250 times as
// long, and so would the run. Smaller factors do not matter.
func (s *subject) replan(readNS float64) {
	if readNS > 2*s.readNS || readNS > 0 && readNS < s.readNS/2 {
		s.readNS, s.replanned = readNS, true
	}
}

// turn returns the span of a latency sample: latencyTurn, or under a quota a part of the period short enough that most
// turns are not throttled. It is never shorter than the slices of a median.
func (s Settings) turn() time.Duration {
	return max(s.wantedTurn(), observe.FewestSlices*s.slice())
}

func (s Settings) wantedTurn() time.Duration {
	const share = 20
	if s.CPU.Quota > 0 {
		return min(latencyTurn, time.Duration(s.CPU.Quota*float64(s.CPU.QuotaPeriodNS)/share))
	}
	return latencyTurn
}

// slice returns the span between two readings of the stopwatch: latencyChunk, or shorter if a turn is.
func (s Settings) slice() time.Duration {
	return observe.SliceOf(min(latencyChunk, s.wantedTurn()/observe.FewestSlices))
}

// A sample is the wall time of a read in nanoseconds, from one turn.
type sample struct {
	// median is the median of the slices, which an interrupt in a few of them does not affect.
	median float64
	// fastest is the fastest slice. The slices are contiguous, so an interrupt makes none shorter. If the stopwatch is
	// coarse or goes backwards, the fastest slice is an artefact: then fastest is the median.
	fastest float64
	// mean is the mean of the whole turn, which an interrupt affects.
	mean float64
}

// sampled returns the sample of at least one slice. exact is whether the duration of a single slice is exact enough to
// use.
func sampled(slicesNS []float64, exact bool) sample {
	mean := stat.Mean(slicesNS, nil) // all slices have the same number of reads
	median, fastest := stats.Median(slicesNS), slices.Min(slicesNS)
	switch {
	case median == 0: // the stopwatch is too coarse for slices
		return sample{mean, mean, mean}
	case !exact || fastest <= 0:
		return sample{median, median, mean}
	}
	return sample{median, fastest, mean}
}

// calibration is approximately how long observe.ReadNS takes.
const calibration = time.Millisecond

// ended returns whether the run must end: at once after a signal, and after the first round if the time is up. It is
// called between any two measurements. Under a real-time policy it yields the CPU, which may be the only one.
func (r *runner) ended() bool {
	if r.settings.realTime {
		thread.Yield()
	}
	return r.ctx.Err() != nil && (r.rounded > 0 || observe.Interrupted(r.ctx))
}

// Availability returns an entry for each clock: available here, or why not.
func Availability(clocks []clock.Clock) ([]compare.Clock, error) {
	entries := make([]compare.Clock, 0, len(clocks))
	err := thread.Run(thread.Any, func() {
		for _, c := range clocks {
			entry := compare.Clock{ID: c.ID, Call: c.Call, Path: string(c.Path), Kind: string(c.Kind),
				TicksPerSecond: c.Hz, Available: true}
			if _, err := c.Open(); err != nil {
				entry.Available, entry.Reason = false, err.Error()
			}
			entries = append(entries, entry)
		}
	})
	return entries, err
}
