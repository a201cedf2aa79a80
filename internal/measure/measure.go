// Package measure takes clocks and measures them: what a read costs (latency),
// how fine the values are (resolution), and how many reads several threads get
// at once (throughput).
//
// A machine changes its speed while it is measured: another program starts, a
// CPU gets warm, a hypervisor takes a slice. So nothing is measured in one
// piece. Every round gives each clock a short turn, in an order shuffled anew,
// and the rounds of latency and the passes of throughput alternate over the
// whole run; the figure is the median of the rounds. What disturbs the machine
// for a while disturbs all clocks alike. docs/measuring.md says more.
//
// Latency and resolution are measured on one thread that does nothing else.
// Throughput is measured by a crew of workers, threads or processes, which
// meet at a gate, start together and count for the same span.
package measure

import (
	"context"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/compare"
	"github.com/timebench/timebench/internal/entry"
	"github.com/timebench/timebench/internal/observe"
	"github.com/timebench/timebench/internal/result"
	"github.com/timebench/timebench/internal/stats"
	"github.com/timebench/timebench/internal/thread"
)

// Settings are the choices of a run.
type Settings struct {
	// Threads are the numbers of threads to measure throughput with, each ≥ 1
	// and at most MostThreads; there is at least one.
	Threads []int
	// Rounds is the number of latency samples of each clock, ≥ 1.
	Rounds int
	// Time is the span of one throughput measurement.
	Time time.Duration
	// Distribution is how long single reads of each clock are timed, over all
	// rounds; 0 for not at all.
	Distribution time.Duration
	// Pin is the order in which threads are given CPUs, again from the start
	// when there are more threads; empty leaves them free.
	Pin []int
	// Processes makes the workers of a throughput measurement processes.
	Processes bool
	// CPUs is how many CPUs the process may use.
	CPUs int
	// Quota is the CPU time that the process may use, in CPUs, counted over
	// QuotaPeriod; 0 where nothing limits it.
	Quota       float64
	QuotaPeriod time.Duration
	// places are the CPUs in the order in which threads that are not pinned begin on them:
	// neighbours are on different cores, so that no two threads share one while another is
	// idle. Run fills it, once a run: reading the topology takes 0.1 ms a CPU.
	places []int
	// realTime says that the process has a real-time scheduling policy. Run fills it.
	realTime bool
}

// A Result is what a run found out.
type Result struct {
	// FloorNS is the cost of an empty call; 0 where it was not measured.
	FloorNS float64
	// Clocks has one entry a clock, in the order given.
	Clocks []compare.Clock
	// Interrupted says that the context ended the run before it was complete.
	Interrupted bool
	// Conditions are what the machine did to the run.
	Conditions compare.Conditions
	// Spoilt is why throughput was not measured to its end; nil where it was.
	Spoilt error
}

const (
	// latencyTurn is the span of one latency sample: long enough that the two
	// readings of the stopwatch do not count, short enough that most turns are
	// free of the scheduler.
	latencyTurn = 2500 * time.Microsecond
	// A default run takes less than ten seconds: so much for throughput, and so much for
	// latency. A span below the shortest would leave too few reads for a sample.
	throughputBudget    = 5 * time.Second
	roundsBudget        = 3500 * time.Millisecond
	fewestDefaultRounds = 40
	longestDefaultTime  = 100 * time.Millisecond
	shortestDefaultTime = 10 * time.Millisecond
	// latencyChunk and throughputChunk are the spans of one native call; see
	// package native. A worker looks for the end of its span after each.
	latencyChunk    = 100 * time.Microsecond
	throughputChunk = 20 * time.Microsecond
	// stopwatchShare is how many times longer than a reading of the stopwatch
	// a slice of a turn is, so that the reading does not count.
	stopwatchShare = 300
	// stopwatchTicks is how many of the stopwatch's own ticks a slice has at least.
	stopwatchTicks = 5
	// exactTicks is how many ticks a slice has at least where one of them says something by
	// itself: a tick more or less is then half a per cent. It is below stopwatchShare, for
	// where reading the stopwatch takes longer than a tick that is what the tick seems to be.
	exactTicks = 200
	// slicesPerTurn is the fewest slices of which a turn takes the median.
	slicesPerTurn = 5
)

// Run measures the clocks and tells progress, which may be nil, as it goes. It
// ends early, with what is complete, when ctx does. A clock that cannot be
// opened or that fails is an entry with a reason. The error is for what keeps
// the run from measuring anything.
func Run(ctx context.Context, clocks []clock.Clock, s Settings, progress func(done, total time.Duration)) (Result, error) {
	// The collector would stop every thread; a run leaves too little to collect.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	observe.TryStopwatch()
	s.places, s.realTime = thread.Spread(thread.Topology()), thread.RealTimePolicy() != ""
	team, err := s.crew(ctx, slices.Max(s.Threads))
	if err != nil {
		return Result{}, err
	}
	r := &runner{ctx: ctx, crew: team, settings: s, progress: progress, total: s.Estimate(clocks), usable: usable}
	verdicts := clock.KernelEntries(clocks)
	for i, c := range clocks {
		r.subjects = append(r.subjects, &subject{clock: c, entry: verdicts[i]})
	}
	r.noise.begin()
	err = thread.Run(s.cpu(0), r.run)
	team.close() // the time that worker processes used counts when they have ended
	if err != nil {
		return Result{}, err
	}
	r.noise.end()
	r.proveAgain()
	return r.result(), nil
}

// proveAgain asks anew whether reads enter the kernel, where they came to cost something else
// during the run or the clock source changed. What was so for a part of the run is so
// sometimes.
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

// DefaultTime is the span of one throughput measurement of a run over so many clocks, such
// that all of throughput keeps within throughputBudget, what bringing the threads together
// takes included. Of the settings it needs all but the times.
func (s Settings) DefaultTime(clocks int) time.Duration {
	s.Time = longestDefaultTime
	measurements := time.Duration(max(1, clocks*len(s.Threads)))
	share := (throughputBudget - s.throughputOverhead(clocks)) / measurements
	return max(shortestDefaultTime, min(longestDefaultTime, share.Truncate(time.Millisecond)))
}

// DefaultRounds is how many rounds a run over so many clocks takes unless it is
// told: as many as fill roundsBudget, so that even the samples of one clock do not all
// fall into one moment of the machine's, and no fewer than make an interval. Of the settings
// it needs those that say how long a turn is: the quota.
func (s Settings) DefaultRounds(clocks int) int {
	turns := int(roundsBudget / max(latencyTurn, s.turn()))
	return max(fewestDefaultRounds, turns/(clocks+1)) // the floor has its turns too
}

// Estimate is about how long a run over the clocks takes.
func (s Settings) Estimate(clocks []clock.Clock) time.Duration {
	n := time.Duration(len(clocks))
	total := (n+1)*(time.Duration(s.Rounds)*s.turn()+calibration+s.Distribution) + s.throughputOverhead(len(clocks))
	for _, c := range clocks {
		total += watching(c)
	}
	for _, threads := range s.Threads {
		total += n * s.span(threads)
	}
	return total
}

// What it takes to start a thread of a crew and to end it, to have one that is there begin
// an assignment and end it, and to have a worker process do so: about what the runner itself
// spends on each (BenchmarkPass). What the threads do, they do at once.
const (
	hiring     = 100 * time.Microsecond
	assigning  = 10 * time.Microsecond
	ofAProcess = 100 * time.Microsecond
)

// overhead is about what having so many workers begin and end takes, over all passes of one
// measurement.
func (s Settings) overhead(threads int) time.Duration {
	each := assigning
	if s.Processes {
		each = ofAProcess
	}
	return time.Duration(s.passes(threads)*threads) * each
}

// throughputOverhead is about what throughput takes beside its spans. A pass hires what the
// numbers of threads before did not.
func (s Settings) throughputOverhead(clocks int) time.Duration {
	total, there := time.Duration(0), 0
	for _, threads := range s.Threads {
		total += time.Duration(clocks) * s.overhead(threads)
		if !s.Processes {
			total += time.Duration(s.passes(threads)*(threads-there)) * hiring
			there = threads
		}
	}
	return total
}

// cpu is the CPU for worker i of a crew, or of the only thread.
func (s Settings) cpu(i int) int {
	if len(s.Pin) == 0 {
		return thread.Any
	}
	return s.Pin[i%len(s.Pin)]
}

// A subject is a clock on its way through a run.
type subject struct {
	clock      clock.Clock
	entry      entry.Verdict
	reader     clock.Reader
	err        error     // why it could not be opened, or failed
	readNS     float64   // about what one read takes, for choosing chunks
	replanned  bool      // readNS has changed while it was measured
	latency    []float64 // of each round
	quiet      []float64 // of each round, its quickest slice
	resolution watcher
	rate       observe.Rate
	throughput []*throughput
	single     *hdrhistogram.Histogram // of single reads, in the bracket's ticks
}

// failed reports whether the subject is out, and puts it out when its reader's
// last read failed.
func (s *subject) failed() bool {
	if s.err == nil {
		s.err = clock.Failure(s.reader)
	}
	return s.err != nil
}

type runner struct {
	ctx      context.Context
	settings Settings
	crew     crew
	progress func(done, total time.Duration)
	done     time.Duration
	total    time.Duration
	subjects []*subject
	floor    *subject
	bracket  *bracket // nil where single reads are not timed
	noise    noise
	// usable returns the CPUs that the process may use, among them those of the given ones to
	// which it can pin its threads.
	usable func(pinned []int) []int
	// lost are the CPUs that went away, and noCPU says that all went to which the run was
	// pinned.
	lost   []int
	noCPU  bool
	spoilt error // why throughput goes no further
	// started counts workers since the last collection.
	started int
}

// run measures, on a thread of its own.
func (r *runner) run() {
	measured := r.open()
	r.resolution()
	r.rounds(measured)
	for _, s := range r.subjects {
		if !s.failed() {
			s.rate.End(s.reader)
		}
	}
	if r.bracket != nil {
		r.bracket.rate.End(r.bracket.reader)
	}
}

// open opens every subject and calibrates it, and returns those whose latency
// is measured: the subjects, and the floor where there is one.
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
		s.readNS = calibrate(s.reader)
		if s != r.floor {
			s.rate.Begin(s.clock, s.reader)
		}
		r.tell(calibration)
	}
	return measured
}

// leadingRounds is how many rounds of latency come before the first pass of
// throughput: a long run that is ended early then has intervals already.
const leadingRounds = 6

// rounds gives every subject one turn of latency a round, and spreads the passes
// of throughput over the rounds.
func (r *runner) rounds(measured []*subject) {
	passes := r.plan()
	// GOMAXPROCS limits how many goroutines run, so without this most of many
	// threads would never start. Two more serve the runner itself.
	most := slices.Max(r.settings.Threads)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), most+2)))
	lead := min(leadingRounds, r.settings.Rounds-1)
	passed := 0
	for round := range r.settings.Rounds {
		due := len(passes) * max(0, round+1-lead) / (r.settings.Rounds - lead)
		if !r.latency(measured) || !r.distribution(measured) {
			return
		}
		for _, pass := range passes[passed:due] {
			if !r.throughput(pass) {
				return
			}
		}
		passed = due
		r.noise.glance()
		r.lose()
	}
}

// usable returns the CPUs that the process may use, among them those of the given ones to
// which it can pin its threads: isolated ones may be such. It returns nothing where that
// cannot be found out. It asks on a thread of its own, for that of the run may be pinned to
// one of them.
func usable(pinned []int) (cpus []int) {
	// A thread that cannot be had tells nothing.
	_ = thread.Run(thread.Any, func() { cpus = thread.Usable() })
	for _, cpu := range pinned {
		if len(cpus) > 0 && !slices.Contains(cpus, cpu) && thread.Pinnable([]int{cpu}) == nil {
			cpus = append(cpus, cpu)
		}
	}
	return cpus
}

// lose takes the CPUs out of the run that went away: those that are named, and those that
// the process may no longer use.
func (r *runner) lose(named ...int) {
	s := &r.settings
	usable := r.usable(s.Pin)
	if len(usable) == 0 {
		return
	}
	gone := func(cpu int) bool { return slices.Contains(named, cpu) || !slices.Contains(usable, cpu) }
	for _, cpu := range slices.Concat(s.Pin, s.places) {
		if gone(cpu) && !slices.Contains(r.lost, cpu) && (len(s.Pin) == 0 || slices.Contains(s.Pin, cpu)) {
			r.lost = append(r.lost, cpu)
		}
	}
	pinned := len(s.Pin) > 0
	s.Pin = slices.DeleteFunc(slices.Clone(s.Pin), gone)
	s.places = slices.DeleteFunc(slices.Clone(s.places), gone)
	s.CPUs = min(s.CPUs, max(1, len(usable)))
	r.noCPU = r.noCPU || pinned && len(s.Pin) == 0
}

// latency gives every subject one turn, and reports whether there was time for it.
func (r *runner) latency(measured []*subject) bool {
	rand.Shuffle(len(measured), func(i, j int) { measured[i], measured[j] = measured[j], measured[i] })
	for _, s := range measured {
		if r.ended() {
			return false
		}
		if s.failed() {
			continue
		}
		sample := turn(s.reader, s.readNS, r.settings.turn(), r.settings.slice())
		if !s.failed() {
			s.latency = append(s.latency, sample.median)
			s.quiet = append(s.quiet, sample.quiet)
			r.noise.turn(sample.median, sample.mean)
			s.replan(sample.quiet)
		}
		r.tell(r.settings.turn())
	}
	return true
}

// replan has the subject's next reads planned by what one costs now, where that is no longer
// what it was: where the kernel takes another clock source a read may cost 250 times as much,
// and the run would take as much longer. A factor below 2 is left to the rounds.
func (s *subject) replan(readNS float64) {
	if readNS > 2*s.readNS || readNS > 0 && readNS < s.readNS/2 {
		s.readNS, s.replanned = max(readNS, leastReadNS), true
	}
}

// turn is the span of one latency sample: latencyTurn, or under a quota so little
// of what a period allows that most turns are not throttled; and never less than a
// median of slices takes.
func (s Settings) turn() time.Duration {
	return max(s.wantedTurn(), slicesPerTurn*s.slice())
}

func (s Settings) wantedTurn() time.Duration {
	const share = 20
	if s.Quota > 0 {
		return min(latencyTurn, time.Duration(s.Quota*float64(s.QuotaPeriod)/share))
	}
	return latencyTurn
}

// slice is the span between two readings of the stopwatch: latencyChunk, shorter
// where a turn is, and longer where the stopwatch itself is dear or coarse.
func (s Settings) slice() time.Duration {
	return max(stopwatchShare*observe.StopwatchCost(), stopwatchTicks*observe.StopwatchTick(), min(latencyChunk, s.wantedTurn()/slicesPerTurn))
}

// A sample is the wall nanoseconds of one read, over one turn.
type sample struct {
	// median is that of the slices, which an interrupt that falls into a few of them
	// does not move.
	median float64
	// quiet is the quickest slice. The slices lie end to end, so what takes the CPU makes
	// none shorter. But where the stopwatch is coarse the quickest would be the one with the
	// fewest ticks, and where it goes backwards the one in which it did: there it is the median.
	quiet float64
	// mean is that of the whole turn, which an interrupt moves.
	mean float64
}

// turn reads for about span, in slices of about slice; in fewer slices where a read takes far
// longer than readNS says.
func turn(reader clock.Reader, readNS float64, span, slice time.Duration) sample {
	chunk := readsIn(min(latencyChunk, span), readNS)
	chunkNS := float64(chunk) * readNS
	chunks := max(1, int(float64(slice)/chunkNS+0.5)) // of a slice
	slicesNS := make([]float64, max(1, int(float64(span)/(float64(chunks)*chunkNS))))
	begun := observe.Now()
	last := begun
	for i := range slicesNS {
		for range chunks {
			reader.Spin(chunk)
		}
		now := observe.Now()
		slicesNS[i] = float64(now-last) / float64(chunks*chunk)
		last = now
		if i+1 >= slicesPerTurn && time.Duration(now-begun) > 2*span {
			slicesNS = slicesNS[:i+1]
			break
		}
	}
	mean := float64(last-begun) / float64(len(slicesNS)*chunks*chunk)
	return sampled(slicesNS, mean, slice >= exactTicks*observe.StopwatchTick())
}

// sampled makes a sample of the slices, of which there is at least one; exact says that
// one of them says something by itself.
func sampled(slicesNS []float64, mean float64, exact bool) sample {
	median, quickest := stats.Median(slicesNS), slices.Min(slicesNS)
	switch {
	case median == 0: // the stopwatch itself ticks too seldom for slices
		return sample{mean, mean, mean}
	case !exact || quickest <= 0:
		return sample{median, median, mean}
	}
	return sample{median, quickest, mean}
}

// calibration is about how long calibrate takes.
const calibration = time.Millisecond

// calibrate returns about how many nanoseconds one read takes: the fastest of
// several short spins, each long enough for the stopwatch.
func calibrate(reader clock.Reader) float64 {
	enough := int64(max(100*time.Microsecond, 2*stopwatchTicks*observe.StopwatchTick()))
	n := 1
	for {
		start := observe.Now()
		reader.Spin(n)
		if spent := observe.Now() - start; spent >= enough || n >= 1<<24 {
			break
		}
		n *= 2
	}
	best := int64(-1)
	for range 4 {
		start := observe.Now()
		reader.Spin(n)
		if spent := observe.Now() - start; best < 0 || spent < best {
			best = spent
		}
	}
	return max(float64(best)/float64(n), leastReadNS)
}

// leastReadNS is what a read is taken to cost at least, in nanoseconds: a stopwatch that
// stands still must not make the plan endless.
const leastReadNS = 0.01

// readsIn is how many reads of readNS each fit in the span; at least one.
func readsIn(span time.Duration, readNS float64) int {
	return max(1, int(float64(span)/readNS))
}

// ended reports whether the run is to end. It is asked between any two measurements, where
// a thread with a real-time policy has to give way: it may have the only CPU.
func (r *runner) ended() bool {
	if r.settings.realTime {
		thread.Yield()
	}
	return r.ctx.Err() != nil
}

func (r *runner) tell(step time.Duration) {
	r.done += step
	if r.progress != nil {
		r.progress(min(r.done, r.total), r.total)
	}
}
