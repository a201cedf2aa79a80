package wake

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/thread"
)

// The limits of a span. A sleep cannot be interrupted, so Ctrl-C waits for its end.
const (
	LeastSpan = time.Microsecond
	MostSpan  = time.Second
)

// mostSpans is the max number of spans of a run.
const mostSpans = 10

// ParseSpans parses the lengths of sleeps, such as 100us,1ms,10ms: each once, from LeastSpan to MostSpan, ten at most.
// It returns them in ascending order.
func ParseSpans(list string) (spans []time.Duration, err error) {
	for text := range strings.SplitSeq(list, ",") {
		span, err := time.ParseDuration(text)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%q is not a time; write a list such as 100us,1ms", text)
		case span < LeastSpan || span > MostSpan:
			return nil, fmt.Errorf("%s is not from 1us to 1s", text)
		case slices.Contains(spans, span):
			return nil, fmt.Errorf("%s is listed twice", text)
		case len(spans) == mostSpans:
			return nil, fmt.Errorf("more than %d times; write fewer", mostSpans)
		}
		spans = append(spans, span)
	}
	slices.Sort(spans)
	return spans, nil
}

// Settings are the settings of a run.
type Settings struct {
	// Time is how long the ways sleep in all; the last sleep may end later.
	Time time.Duration
	// Spans are the lengths of the sleeps, in ascending order: see [ParseSpans].
	Spans []time.Duration
	// CPUs are the CPUs to which a thread each is pinned; nil for a single thread that is free to move.
	CPUs []int
	// Busy is the number of threads that keep CPUs busy meanwhile.
	Busy int
	// Quota is whether a control group limits the CPU time of the process.
	Quota bool
}

// AwakeRole is the role of a process that keeps CPUs awake: [KeepAwake].
const AwakeRole = "awake"

// A step is how much a pass changes of the machine, to take causes of lateness away.
type step int

const (
	asIs  step = iota
	tight      // timer slack of 1 ns
	awake      // and CPUs that do not idle
)

// Run measures how late the ways wake up, and reports its progress. When ctx ends, it returns the results so far. A way
// that is not available is an entry with the reason. The error is why no thread could sleep.
func Run(ctx context.Context, ways []Way, s Settings, progress func(done, total time.Duration)) (Wake, error) {
	observe.StopwatchTick() // measures it, which may take a second
	r := &runner{Settings: s, ctx: ctx, ways: ways, failed: make([]error, len(ways)), late: map[place]*lateness{}}
	start := observe.Now()
	cpus := s.CPUs
	if cpus == nil {
		cpus = []int{thread.Any}
	}
	if err := observe.RoomForThreads(ctx, len(cpus)+s.Busy); err != nil {
		return Wake{}, err
	}
	if s.Busy > 0 {
		defer thread.Busy(s.Busy, s.Time+time.Minute)()
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for i, cpu := range cpus {
		r.threads = append(r.threads, &sleepingThread{runner: r, number: i, cpu: cpu, sleep: make([]sleeper, len(ways))})
	}
	defer r.crew.Dismiss(0)
	if err := r.all(asIs, (*sleepingThread).open); err != nil {
		return Wake{}, err
	}
	waker := r.startAwake()
	entered, before := map[string]int64{}, timers(s.CPUs)
	r.slackNS = float64(before.SlackNS)
	for _, state := range before.IdleStates {
		entered[state.Name] = state.Entered
	}
	r.end = observe.Now() + int64(s.Time)
	for slices.ContainsFunc(r.threads[0].sleep, func(s sleeper) bool { return s != nil }) && !r.over() {
		for _, step := range round {
			waker.during(step, func() { _ = r.all(step, func(t *sleepingThread) { t.pass(step) }) })
			progress(time.Duration(observe.Now()-start), s.Time)
		}
		runtime.GC() // not while the ways sleep
	}
	waker.end()
	facts := timers(s.CPUs)
	for i := range facts.IdleStates {
		state := &facts.IdleStates[i]
		state.Entered = max(0, state.Entered-entered[state.Name])
	}
	r.checkIdle(facts.IdleStates)
	return Wake{DurationNS: observe.Now() - start, CPUs: s.CPUs, BusyThreads: s.Busy, NoIdleLayer: r.noIdle, Timers: facts,
		Ways: r.results()}, nil
}

// A runner is one measurement.
type runner struct {
	Settings
	ctx     context.Context
	ways    []Way
	end     int64 // by the stopwatch
	threads []*sleepingThread
	crew    observe.Crew // of these threads
	noIdle  string       // why there is no layer of leaving idle
	slackNS float64      // the timer slack as it is; 0 if unknown

	mutex  sync.Mutex // for what follows, while the threads sleep
	failed []error    // of each way: why it is not available
	late   map[place]*lateness
}

// A place has sleeps of a way for a span.
type place struct {
	way, span int
	step      step
}

// A sleepingThread sleeps pinned to a CPU, or free to move (thread.Any).
type sleepingThread struct {
	*runner
	number int
	cpu    int
	at     int       // the CPU on which it began
	sleep  []sleeper // of each way; nil if it is not available
	turns  []turn    // a buffer
}

// all runs a task on all threads at once. They last for the run: beside busy programs the scheduler delays the first
// sleeps of a new thread by milliseconds. In the step awake, a thread pinned to the CPU on which a free thread began
// sleeps instead of the free thread: only that CPU is kept from idling.
func (r *runner) all(step step, task func(*sleepingThread)) (failed error) {
	done := make(chan error, len(r.threads))
	for i, t := range r.threads {
		cpu := t.cpu
		if step == awake && cpu == thread.Any {
			i, cpu = len(r.threads)+i, t.at
		}
		r.crew.Start(i, cpu, func(unpinned error) {
			if unpinned == nil {
				task(t)
			}
			done <- unpinned
		})
	}
	for range r.threads {
		failed = cmp.Or(failed, <-done)
	}
	return failed
}

func (r *runner) over() bool { return r.ctx.Err() != nil || observe.Now() >= r.end }

// open opens all ways. A call that the system lacks fails in the first sleep.
func (t *sleepingThread) open() {
	t.at = max(0, thread.Current())
	for k, w := range t.ways {
		sleep, err := w.open()
		if err == nil {
			_, err = sleep.sleep(int64(LeastSpan))
		}
		if err == nil {
			t.sleep[k] = sleep
		}
		t.fails(k, err)
	}
}

// pass sleeps for each span, first in the ways that do not round, then in those that do. Beside busy programs a sleep
// of 100 µs between longer sleeps ends milliseconds later than between sleeps of 100 µs, in a C program too.
func (t *sleepingThread) pass(step step) {
	if observe.Away(t.cpu) {
		return
	}
	if step != asIs {
		setSlack(1)
		defer setSlack(0)
	}
	for span := range t.Spans {
		p := place{span: span, step: step}
		t.block(p, "", 1)
		if step == asIs {
			t.block(p, Rounding, 1)
			t.block(p, Runtime, 0.5) // it has one way
		}
	}
}

// block has the ways that differ from their twin by this layer sleep in turn, each once at least, until its part of the
// run is over.
func (t *sleepingThread) block(p place, layer string, part float64) {
	const rounds, parts = 5, 7 // of the steps of a round
	var ways []int
	for k, w := range t.ways {
		if t.sleep[k] != nil && w.twinLayer == layer {
			ways = append(ways, k)
		}
	}
	if len(ways) == 0 {
		return
	}
	end := observe.Now() + int64(part*float64(min(inOneGo, t.Time/time.Duration(rounds*parts*len(t.Spans)))))
	var turns []turn
	for slept := 0; !t.over() && (slept < len(ways) || observe.Now() < end); {
		if len(turns) == 0 {
			turns = t.shuffled(ways, t.Spans[p.span])
		}
		n, failed := inTurn(t.sleep, turns, end-observe.Now())
		t.took(p, turns[:n], failed)
		slept, turns = slept+n, turns[n:]
	}
}

// inOneGo is about how long ways sleep before they look whether the run is over, and mostTurns how often.
const inOneGo, mostTurns = 200 * time.Millisecond, 500

// shuffled returns turns of these ways, in an order shuffled anew in each round. They last until its next call: the
// garbage collector is off.
func (t *sleepingThread) shuffled(ways []int, span time.Duration) []turn {
	t.turns = t.turns[:0]
	for range 1 + min(mostTurns, int(inOneGo/span))/len(ways) {
		rand.Shuffle(len(ways), func(i, j int) { ways[i], ways[j] = ways[j], ways[i] })
		for _, k := range ways {
			t.turns = append(t.turns, turn{way: k, span: int64(span) + rand.Int64N(int64(min(span/2, time.Millisecond))+1)})
		}
	}
	return t.turns
}
