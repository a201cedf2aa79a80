package measure

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/show/words"
)

// WorkerRole is the role of a process that calls [Worker].
const WorkerRole = "worker"

// A team is the workers of throughput measurements: threads of this process, or processes.
type team interface {
	// gate returns the gate of the workers; it has room for all of them.
	gate() *gate
	// start has worker i open the clock, wait at the gate and read, and calls done when it has filled its slot or
	// failed. It starts a missing worker; the workers before it have started.
	start(i int, c clock.Clock, p pace, at affinity, done func(*failure))
	// late abandons worker i, which has not called done for the time waited, and returns what that costs.
	late(i int, at affinity, waited string) *failure
	// keep dismisses all but the first n workers, which would disturb other measurements. Neither it nor close, which
	// ends the team, may be called while a worker is working.
	keep(n int)
	close()
}

// A failure is why a worker did not work to the end, as a worker process reports it; nil without a failure.
type failure struct {
	Reason string `json:"reason"`
	Cost   cost   `json:"cost"`
}

// A cost is what a failure costs: each more than the one before.
type cost int

const (
	aFigure  cost = iota // the figure of this clock with this number of threads
	theClock             // all figures of the clock, because it cannot be read
	theRun               // the rest of the run
)

// wentAway is the failure of a thread that is no longer on the CPU that it was pinned to: the CPU went offline, or is
// no longer allowed to the process.
func wentAway(cpu int) *failure { return &failure{fmt.Sprintf("CPU %d went away", cpu), theRun} }

// A pace is how a worker reads: Chunk reads in one native call, and Slice calls between two readings of the stopwatch,
// which are stored if Keep is set. Median is whether the rate is from the median of the stored slices. If Yield is set,
// the worker yields its CPU after each slice, as a real-time policy needs it.
type pace struct {
	Chunk  int  `json:"chunk"`
	Slice  int  `json:"slice"`
	Keep   bool `json:"keep"`
	Median bool `json:"median"`
	Yield  bool `json:"yield"`
	// SpanNS is the time after the opening of the gate at which a worker ends by itself.
	SpanNS int64 `json:"span_ns"`
}

// An affinity is where a worker runs: pinned to a CPU, or started on one and free to move. Either may be thread.Any.
type affinity struct {
	Pin   int `json:"pin"`
	Begin int `json:"begin"`
}

// affinities returns the affinity of each of n workers of a pass. Free workers start on the CPUs in turn, from a random
// one. Otherwise Linux would start new threads on any CPU, and Windows before 11 all of them in one processor group.
func (s Settings) affinities(n int) []affinity {
	all, first := make([]affinity, n), rand.Int()
	for i := range all {
		all[i] = affinity{s.cpu(i), thread.Any}
		if len(s.Pin) == 0 && len(s.places) > 0 {
			all[i].Begin = s.places[(first%len(s.places)+i)%len(s.places)]
		}
	}
	return all
}

func (s Settings) team(ctx context.Context, most int) (team, error) {
	if s.Processes {
		return newProcesses(most)
	}
	if err := observe.RoomForThreads(ctx, most); err != nil {
		return nil, err
	}
	return newThreads(), nil
}

// An assignment is the work of the first workers of a team in a pass.
type assignment struct {
	team    team
	at      []affinity
	answers chan answer
}

type answer struct {
	worker  int
	failure *failure
}

// assign starts a worker at each of the affinities. They wait at the gate.
func assign(t team, c clock.Clock, p pace, at []affinity) assignment {
	// The channel belongs to this assignment: an abandoned worker of an earlier one has its own.
	a := assignment{t, at, make(chan answer, len(at))}
	t.gate().reset(len(at))
	t.keep(len(at))
	for i := range at {
		t.start(i, c, p, at[i], func(f *failure) { a.answers <- answer{i, f} })
	}
	return a
}

// wait returns when each worker has answered, or is late by the patience. Of several failures it returns the first of
// those that cost most.
func (a assignment) wait(patience time.Duration) (worst *failure) {
	answered := make([]bool, len(a.at))
	add := func(f *failure) {
		if f != nil && (worst == nil || f.Cost > worst.Cost) {
			worst = f
		}
	}
	for _, came := range observe.Await(a.answers, len(a.at), patience, nil) {
		answered[came.worker] = true
		add(came.failure)
	}
	for i, at := range a.at {
		if !answered[i] {
			add(a.team.late(i, at, words.Duration(float64(patience))))
		}
	}
	return worst
}

// threads is a team of threads of this process. They are started for a pass and dismissed after it: at each read of
// CLOCK_PROCESS_CPUTIME_ID the kernel sums the times of all threads of a process, idle ones too (thread_group_cputime
// in kernel/sched/cputime.c), which would increase its latency.
type threads struct {
	meeting *gate
	crew    *observe.Crew
}

func newThreads() *threads { return &threads{new(gate), new(observe.Crew)} }

func (t *threads) gate() *gate { return t.meeting }

// start has a thread that cannot be pinned answer each assignment with the error.
func (t *threads) start(i int, c clock.Clock, p pace, at affinity, done func(*failure)) {
	g := t.meeting // an abandoned worker keeps it
	t.crew.Start(i, at.Pin, func(unpinned error) { done(g.serve(unpinned, at, i, c, p)) })
}

// late leaves the threads their gate, because they may still be working. The team gets others.
func (t *threads) late(_ int, at affinity, waited string) *failure {
	t.crew.Dismiss(0)
	t.crew, t.meeting = new(observe.Crew), new(gate)
	if at.Pin != thread.Any {
		return &failure{fmt.Sprintf("a thread got no time on CPU %d for %s", at.Pin, waited), theRun}
	}
	return &failure{"a thread got no time on any CPU for " + waited, aFigure}
}

func (t *threads) keep(n int) {
	t.crew.Dismiss(n)
	if n == 0 {
		t.crew.Wait()
	}
}

func (t *threads) close() { t.keep(0) }
