package measure

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/show/words"
)

// A team is the workers of throughput measurements: threads of this process, or processes.
type team interface {
	// gate returns the gate of the workers; it has room for all of them.
	gate() *gate
	// start has the first n workers open the clock, worker i at affinities(i), and wait at the gate. It starts missing
	// workers.
	start(c clock.Clock, p pace, n int, affinities func(i int) affinity) error
	// wait returns when every started worker has filled its slot or failed. Its error joins the errors of the workers,
	// including [lostCPU] if a CPU went away.
	wait() error
	// rest dismisses the workers that would disturb other measurements. Neither it nor close, which ends the team, may
	// be called while a worker is working.
	rest()
	close()
	// broken returns why the team can no longer be used, or nil.
	broken() error
}

// A pace is how a worker reads: Chunk reads in one native call, Slice calls between two readings of the stopwatch,
// which are stored if Keep is set, and Check calls between two checks of the deadline. Median is whether the rate is
// from the median of the stored slices. If Yield is set, the worker yields its CPU at each check, as a real-time policy
// needs it.
type pace struct {
	Chunk  int  `json:"chunk"`
	Slice  int  `json:"slice"`
	Keep   bool `json:"keep"`
	Median bool `json:"median"`
	Check  int  `json:"check"`
	Yield  bool `json:"yield"`
	// SpanNS is the time after the opening of the gate at which a worker ends by itself.
	SpanNS int64 `json:"span_ns"`
}

// An affinity is where a worker runs: pinned to a CPU, or started on one and free to move. Either may be thread.Any.
type affinity struct {
	Pin   int `json:"pin"`
	Begin int `json:"begin"`
}

// affinities returns the affinity of each worker of a pass. Free workers start on the CPUs in turn, from a random
// one. Otherwise Linux would start new threads on any CPU, and Windows before 11 all of them in one processor group.
func (s Settings) affinities() func(i int) affinity {
	if len(s.Pin) > 0 || len(s.places) == 0 {
		return func(i int) affinity { return affinity{s.cpu(i), thread.Any} }
	}
	first := rand.IntN(len(s.places))
	return func(i int) affinity { return affinity{thread.Any, s.places[(first+i)%len(s.places)]} }
}

// A lostCPU is the error of a worker that is not on the CPU that it was pinned to: the CPU
// went offline, is no longer allowed to the process, or has no time for the worker.
type lostCPU struct {
	cpu int
	err error // nil if the worker was pinned and moved away later
}

func (l *lostCPU) Error() string {
	if l.err != nil {
		return l.err.Error()
	}
	return fmt.Sprintf("CPU %d went away", l.cpu)
}

// A failedRead is the error of a worker that could not read the clock. Only this error concerns the clock. After any
// other error, only a figure is missing.
type failedRead struct{ err error }

func (f *failedRead) Error() string { return f.err.Error() }

func (s Settings) team(ctx context.Context, most int) (team, error) {
	if s.Processes {
		return newProcesses(most)
	}
	if err := roomForThreads(ctx, most); err != nil {
		return nil, err
	}
	return newThreads(), nil
}

// An answer is the result of a worker's assignment.
type answer struct {
	worker int
	err    error
}

// collect returns the errors of n answers, and the error of late for each worker that does not answer in time.
func collect(answers <-chan answer, n int, patience time.Duration, late func(worker int) error) error {
	var all error
	answered := map[int]bool{} // a process without an assignment may have ended too
	for _, a := range observe.Await(answers, n, patience, nil) {
		answered[a.worker], all = true, errors.Join(all, a.err)
	}
	for i := range n {
		if !answered[i] {
			all = errors.Join(all, late(i))
		}
	}
	return all
}

// threads is a team of threads of this process. They are started for a pass and dismissed after it: at each read of
// CLOCK_PROCESS_CPUTIME_ID the kernel sums the times of all threads of a process, idle ones too (thread_group_cputime
// in kernel/sched/cputime.c), which would increase its latency.
type threads struct {
	meeting *gate
	crew    *observe.Crew
	// started are the affinities of the started workers. Each worker sends one answer.
	started []affinity
	answers chan answer
	// patience returns how long wait waits for the answers of n workers.
	patience func(n int) time.Duration
}

func newThreads() *threads {
	return &threads{meeting: new(gate), crew: new(observe.Crew), patience: patience}
}

func (t *threads) gate() *gate { return t.meeting }

// start starts missing threads. A thread that cannot be pinned answers each assignment with the error.
func (t *threads) start(c clock.Clock, p pace, n int, affinities func(i int) affinity) error {
	t.crew.Dismiss(n)
	// The gate and the channel belong to this assignment: an abandoned worker of an earlier one has its own.
	g, answers := t.meeting, make(chan answer, n)
	t.answers, t.started = answers, t.started[:0]
	for i := range n {
		at := affinities(i)
		t.started = append(t.started, at)
		t.crew.Start(i, at.Pin, func(unpinned error) { answers <- answer{i, g.serve(unpinned, at, i, c, p)} })
	}
	return nil
}

// wait abandons the workers that do not answer. They may still be working, so they keep their gate, and the team gets a
// new one.
func (t *threads) wait() error {
	n := len(t.started)
	waited := words.Duration(float64(t.patience(n)))
	left := false
	err := collect(t.answers, n, t.patience(n), func(i int) error {
		left = true
		if pin := t.started[i].Pin; pin != thread.Any {
			return &lostCPU{pin, fmt.Errorf("a thread got no time on CPU %d for %s", pin, waited)}
		}
		return fmt.Errorf("a thread got no time on any CPU for %s", waited)
	})
	if left {
		t.crew.Dismiss(0)
		t.crew, t.meeting = new(observe.Crew), new(gate)
	}
	return err
}

func (t *threads) rest() {
	t.crew.Dismiss(0)
	t.crew.Wait()
}

func (t *threads) broken() error { return nil }

func (t *threads) close() { t.rest() }

// first returns the first of joined errors, because a message has one line.
func first(err error) error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return first(joined.Unwrap()[0])
	}
	return err
}
