package wake

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/timebench/timebench/internal/document/section"
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

// ParseSpans parses the lengths of sleeps, such as 100us,1ms,10ms: each once, from LeastSpan to MostSpan, ten at most. It
// returns them in ascending order.
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

// A step is how much a pass changes of the machine, to take causes of lateness away.
type step int

const (
	asIs  step = iota
	tight      // timer slack of 1 ns
	awake      // and CPUs that do not idle
)

// AwakeRole is the role of a process that keeps CPUs awake: [KeepAwake].
const AwakeRole = "awake"

// Run measures how late the ways wake up, and reports its progress, unless progress is nil. When ctx ends, it returns the
// results so far. A way that is not available is an entry with the reason. The error is why no thread could sleep.
func Run(ctx context.Context, ways []Way, s Settings, progress func(done, total time.Duration)) (Wake, error) {
	observe.StopwatchTick() // measures it, which may take a second
	r := &runner{Settings: s, ctx: ctx, ways: ways, start: observe.Now(), late: map[place]*lateness{}, failed: map[int]error{}}
	cpus := s.CPUs
	if cpus == nil {
		cpus = []int{thread.Any}
	}
	if s.Busy > 0 {
		defer thread.Busy(s.Busy, s.Time+time.Minute)()
	}
	// A thread in a raw system call keeps its P. The others are for time.Sleep and the run itself.
	const others = 2
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), len(cpus)+others)))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for _, cpu := range cpus {
		t := &sleepingThread{cpu: cpu, sleep: make([]sleeper, len(ways))}
		defer t.close.run()
		r.threads = append(r.threads, t)
	}
	// Each pass runs on new threads, so no change has to be undone.
	all := func(task func(*sleepingThread)) (failed error) {
		done := make(chan error, len(cpus))
		for _, t := range r.threads {
			go func() { done <- thread.Run(t.cpu, func() { task(t) }) }()
		}
		for range cpus {
			failed = errors.Join(failed, <-done)
		}
		return failed
	}
	if err := all(r.open); err != nil {
		return Wake{}, err
	}
	waker := r.startAwake()
	facts := timers(s.CPUs)
	r.end = observe.Now() + int64(s.Time)
	for slices.ContainsFunc(r.threads[0].sleep, func(s sleeper) bool { return s != nil }) && !r.over() {
		for _, step := range round {
			if step == awake && !waker.begin() {
				continue
			}
			_ = all(func(t *sleepingThread) {
				t.change(step)
				r.pass(t, step)
			})
			waker.pause()
			for _, t := range r.threads {
				r.collect(t)
			}
			if progress != nil {
				progress(time.Duration(observe.Now()-r.start), s.Time)
			}
		}
		runtime.GC() // not while the ways sleep
	}
	waker.end()
	before := facts.IdleStates
	facts.IdleStates = nil
	section.Match(before, timers(s.CPUs).IdleStates, func(s IdleState) string { return s.Name }, func(before, after IdleState) {
		after.Entered = max(0, after.Entered-before.Entered)
		facts.IdleStates = append(facts.IdleStates, after)
	})
	r.checkIdle(facts.IdleStates)
	return Wake{DurationNS: observe.Now() - r.start, CPUs: s.CPUs, BusyThreads: s.Busy, NoIdleLayer: r.noIdle,
		Timers: facts, Ways: r.results()}, nil
}

// A runner is one measurement.
type runner struct {
	Settings
	ctx        context.Context
	ways       []Way
	start, end int64 // by the stopwatch
	threads    []*sleepingThread
	noIdle     string // why there is no layer of leaving idle
	late       map[place]*lateness

	mutex  sync.Mutex
	failed map[int]error // why a way is not available
}

// A place has sleeps of a way for a span, on a CPU or on all of them (thread.Any).
type place struct {
	way, span, cpu int
	step           step
}

// A sleepingThread sleeps pinned to a CPU, or free to move (thread.Any).
type sleepingThread struct {
	cpu   int
	at    int       // the CPU on which it began
	sleep []sleeper // of each way; nil if it is not available
	woke  []wakeUp  // of this pass
	close cleanup
}

type wakeUp struct {
	place
	late int64
}

func (r *runner) over() bool { return r.ctx.Err() != nil || observe.Now() >= r.end }

// open opens all ways on a thread. A call that the system lacks fails in the first sleep.
func (r *runner) open(t *sleepingThread) {
	t.at = max(0, thread.Current())
	for k, w := range r.ways {
		sleep, err := w.open(&t.close)
		if err == nil {
			_, err = sleep(int64(LeastSpan))
		}
		if t.sleep[k] = sleep; err != nil {
			r.fails(t, k, err)
		}
	}
}

func (r *runner) fails(t *sleepingThread, way int, err error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	t.sleep[way], r.failed[way] = nil, err
}

// pass has each way sleep on a thread, for a short span several times, since it takes less time. It takes passTime at
// least, as the first sleep of a pass is the sleep of a thread that has just been woken up; without a sleep it ends at once.
func (r *runner) pass(t *sleepingThread, step step) {
	const most, passTime = 10, int64(50 * time.Millisecond)
	longest, begun := r.Spans[len(r.Spans)-1], observe.Now()
	for slept := -1; slept < len(t.woke) && !r.over() && observe.Now()-begun < passTime; {
		slept = len(t.woke)
		for i, span := range r.Spans {
			for range min(most, int(math.Sqrt(float64(longest/span)))) {
				for _, k := range rand.Perm(len(r.ways)) {
					if t.sleep[k] != nil && (step == asIs || r.ways[k].twin == "") && !r.over() {
						r.turn(t, place{k, i, t.cpu, step}, int64(span))
					}
				}
			}
		}
	}
}

// turn has a way sleep once.
func (r *runner) turn(t *sleepingThread, p place, span int64) {
	late, err := t.sleep[p.way](span + rand.Int64N(min(span/2, int64(time.Millisecond))+1))
	if err != nil {
		if !errors.Is(err, syscall.EINTR) { // by a signal, not by the way
			r.fails(t, p.way, err)
		}
		return
	}
	t.woke = append(t.woke, wakeUp{p, late})
}

// collect adds the wake-ups of a pass of a thread, after it: meanwhile threads would delay each other.
func (r *runner) collect(t *sleepingThread) {
	for _, w := range t.woke {
		r.add(w.place, w.late)
		if w.cpu != thread.Any {
			w.cpu = thread.Any
			r.add(w.place, w.late)
		}
	}
	t.woke = t.woke[:0]
}
