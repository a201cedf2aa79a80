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
	"syscall"
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
	steps
)

func nothing() {}

// AwakeRole is the role of a process that keeps CPUs awake: [KeepAwake].
const AwakeRole = "awake"

// Run measures how late the ways wake up, and reports its progress, unless progress is nil. When ctx ends, it returns the
// results so far. A way that is not available is an entry with the reason. The error is why no thread could sleep.
func Run(ctx context.Context, ways []Way, s Settings, progress func(done, total time.Duration)) (Wake, error) {
	observe.StopwatchTick() // measures it, which may take a second
	r := &runner{Settings: s, ctx: ctx, ways: ways, start: observe.Now()}
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
	for i, cpu := range cpus {
		r.threads = append(r.threads, &sleepingThread{cpu: cpu, chance: rand.New(rand.NewPCG(uint64(r.start), uint64(i)))})
	}
	var crew observe.Crew
	defer func() { crew.Dismiss(0); crew.Wait() }()
	all := func(task func(*sleepingThread)) (failed error) {
		done := make(chan error, len(cpus))
		for i, t := range r.threads {
			crew.Start(i, t.cpu, func(unpinned error) {
				if unpinned == nil {
					task(t)
				}
				done <- unpinned
			})
		}
		for range cpus {
			failed = errors.Join(failed, <-done)
		}
		return failed
	}
	if err := all(r.open); err != nil {
		return Wake{}, err
	}
	facts, entered := timers(), idleEntries(s.CPUs)
	waker := r.startAwake()
	r.end = observe.Now() + int64(s.Time)
	able := func(o *openWay) bool { return o.err == nil }
	for slices.ContainsFunc(r.threads[0].ways, able) && !r.over() {
		for _, step := range round {
			end, ok := r.begin(step, waker)
			if ok && !r.over() {
				_ = all(func(t *sleepingThread) {
					defer r.change(t, step)()
					r.pass(t, step)
				})
			}
			end()
			if progress != nil {
				progress(time.Duration(observe.Now()-r.start), s.Time)
			}
		}
	}
	endAwake(waker)
	_ = all(func(t *sleepingThread) { t.close.run() })
	after := idleEntries(s.CPUs)
	for i := range facts.IdleStates {
		state := &facts.IdleStates[i]
		state.Entered = max(0, after[state.Name]-entered[state.Name])
	}
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
}

// A sleepingThread is a thread that sleeps, pinned to a CPU or free to move (thread.Any).
type sleepingThread struct {
	cpu    int
	at     int // the CPU on which it began
	chance *rand.Rand
	close  cleanup
	ways   []*openWay
}

// An openWay is a way on a thread.
type openWay struct {
	Way
	sleep sleeper
	err   error
	late  [steps][]lateness // of each span
}

func (r *runner) over() bool { return r.ctx.Err() != nil || observe.Now() >= r.end }

// open opens all ways on a thread. A call that the system lacks fails in the first sleep.
func (r *runner) open(t *sleepingThread) {
	t.at = max(0, thread.Current())
	for _, w := range r.ways {
		o := &openWay{Way: w}
		if o.sleep, o.err = w.open(&t.close); o.err == nil {
			_, o.err = o.sleep(int64(LeastSpan))
		}
		for step := range o.late {
			o.late[step] = make([]lateness, len(r.Spans))
		}
		t.ways = append(t.ways, o)
	}
}

// pass has each way sleep on a thread, for a short span several times, since it takes less time. It takes passTime at
// least: the first sleep of a pass is the sleep of a thread that has just been woken up.
func (r *runner) pass(t *sleepingThread, step step) {
	const most, passTime = 10, int64(50 * time.Millisecond)
	longest, begun := r.Spans[len(r.Spans)-1], observe.Now()
	for ok := true; ok && observe.Now()-begun < passTime; {
		for i, span := range r.Spans {
			for range min(most, int(math.Sqrt(float64(longest/span)))) {
				ok = ok && r.turns(t, step, i)
			}
		}
	}
}

// turns has each way sleep once for a span, in a new order. It returns false if none could, or the run is over.
func (r *runner) turns(t *sleepingThread, step step, span int) (tried bool) {
	for _, k := range t.chance.Perm(len(t.ways)) {
		o := t.ways[k]
		if o.err != nil || step != asIs && (o.free || o.twin != "") {
			continue
		}
		if r.over() {
			return false
		}
		tried = true
		length := int64(r.Spans[span])
		late, err := o.sleep(length + t.chance.Int64N(min(length/2, int64(time.Millisecond))+1))
		switch {
		case errors.Is(err, syscall.EINTR): // by a signal, not by the way
		case err != nil:
			o.err = err
		default:
			o.late[step][span].add(late, observe.Now()-r.start, t.chance)
		}
	}
	return tried
}
