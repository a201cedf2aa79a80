package measure

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/observe"
	"github.com/timebench/timebench/internal/thread"
)

// A crew is the workers of throughput measurements: threads of this process, or
// processes.
type crew interface {
	// gate is where the workers meet; it has room for the whole crew.
	gate() *gate
	// start has the first n workers open the clock, worker i at seat(i), and
	// wait at the gate. It hires those that are not there.
	start(c clock.Clock, p pace, n int, seat func(i int) seat) error
	// wait returns when every started worker has filled its slot or failed. Its error
	// joins those of the workers; [lostCPU] is among them where a CPU went away.
	wait() error
	// rest dismisses the workers that would be in the way of other measurements. No
	// worker is at work.
	rest()
	// broken is why the crew can work no more; nil where it can.
	broken() error
	// close ends the crew. No worker is at work.
	close()
}

// A pace is how a worker reads: Chunk reads in one native call, Slice calls
// between two looks at the stopwatch that are kept, where Keep says so, and Look calls
// between two looks at the deadline. Yield has it give its CPU away at each of those, as
// it must under a real-time policy.
type pace struct {
	Chunk int  `json:"chunk"`
	Slice int  `json:"slice"`
	Keep  bool `json:"keep"`
	Look  int  `json:"look"`
	Yield bool `json:"yield"`
	// SpanNS is how long after the gate was opened a worker ends which nobody stops.
	SpanNS int64 `json:"span_ns"`
}

// A seat is where a worker runs: pinned to a CPU, or free and begun on one. Either
// may be thread.Any.
type seat struct {
	Pin   int `json:"pin"`
	Begin int `json:"begin"`
}

// seats returns where each worker of a pass sits. Those that are not pinned begin on the CPUs
// one after the other, from one chosen anew each time: Linux starts new threads where it
// likes, and Windows before 11 all of them in one processor group.
func (s Settings) seats() func(i int) seat {
	if len(s.Pin) > 0 || len(s.places) == 0 {
		return func(i int) seat { return seat{s.cpu(i), thread.Any} }
	}
	first := rand.IntN(len(s.places))
	return func(i int) seat { return seat{thread.Any, s.places[(first+i)%len(s.places)]} }
}

// A lostCPU is the error of a worker that is not on the CPU that it was pinned to, which
// went offline, is no longer allowed to the process, or has no time for it.
type lostCPU struct {
	cpu int
	err error // nil where the worker was pinned and moved away later
}

func (l *lostCPU) Error() string {
	if l.err != nil {
		return l.err.Error()
	}
	return fmt.Sprintf("CPU %d went away", l.cpu)
}

func (s Settings) crew(ctx context.Context, most int) (crew, error) {
	if s.Processes {
		return newProcesses(most)
	}
	if err := roomForThreads(ctx, most); err != nil {
		return nil, err
	}
	return newThreads(), nil
}

// threads is a crew of threads of this process. They are hired for a pass and dismissed
// after it: the kernel sums the times of all threads of a process, idle ones too, at each
// read of CLOCK_PROCESS_CPUTIME_ID (thread_group_cputime in kernel/sched/cputime.c), which
// would be in its latency.
type threads struct {
	meeting *gate
	workers *observe.Crew
	// seats are those of the workers that were started, each of which sends one answer.
	seats   []seat
	answers chan answer
	// late is how long wait waits for the answers, and gone why the crew can work no more.
	late time.Duration
	gone error
}

// An answer is how a worker ended its assignment.
type answer struct {
	worker int
	err    error
}

func newThreads() *threads {
	return &threads{meeting: new(gate), workers: new(observe.Crew), late: patience}
}

func (t *threads) gate() *gate { return t.meeting }

// start hires the threads that are not there. One that cannot be pinned answers each
// assignment with the error.
func (t *threads) start(c clock.Clock, p pace, n int, at func(i int) seat) error {
	t.workers.Dismiss(n)
	// The gate and the channel are of this assignment: a worker of an earlier one that was
	// left behind has its own.
	g, answers := t.meeting, make(chan answer, n)
	t.answers, t.seats = answers, t.seats[:0]
	for i := range n {
		s := at(i)
		t.seats = append(t.seats, s)
		t.workers.Start(i, s.Pin, func(unpinned error) {
			if unpinned != nil {
				g.absent()
				answers <- answer{i, &lostCPU{s.Pin, unpinned}}
				return
			}
			answers <- answer{i, g.serve(s, i, c, p)}
		})
	}
	return nil
}

func (t *threads) wait() error {
	came := observe.Await(t.answers, len(t.seats), t.late, nil)
	var all error
	for _, a := range came {
		all = errors.Join(all, a.err)
	}
	if len(came) < len(t.seats) {
		all = errors.Join(all, t.leave(came))
	}
	return all
}

// leave leaves those behind that did not answer, and returns why. They may still be at work,
// and so keep their gate.
func (t *threads) leave(came []answer) error {
	var all error
	for i, s := range t.seats {
		switch {
		case slices.ContainsFunc(came, func(a answer) bool { return a.worker == i }):
		case s.Pin == thread.Any:
			t.gone = fmt.Errorf("a thread got no time on any CPU for %v", t.late)
		default:
			all = errors.Join(all, &lostCPU{s.Pin, fmt.Errorf("a thread got no time on CPU %d for %v", s.Pin, t.late)})
		}
	}
	t.workers.Dismiss(0)
	t.workers, t.meeting = new(observe.Crew), new(gate)
	return errors.Join(all, t.gone)
}

// rest dismisses all threads, and waits for their end.
func (t *threads) rest() {
	t.workers.Dismiss(0)
	t.workers.Wait()
}

func (t *threads) broken() error { return t.gone }

func (t *threads) close() { t.rest() }

// first returns the first of joined errors: one line says enough.
func first(err error) error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return first(joined.Unwrap()[0])
	}
	return err
}
