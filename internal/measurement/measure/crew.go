package measure

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/instrument/observe"
	"github.com/timebench/timebench/internal/machine/thread"
	"github.com/timebench/timebench/internal/show/words"
)

// A crew is the workers of throughput measurements: threads of this process, or processes.
type crew interface {
	// gate returns the gate of the workers; it has room for the whole crew.
	gate() *gate
	// start has the first n workers open the clock, worker i at seat(i), and wait at the
	// gate. It starts missing workers.
	start(c clock.Clock, p pace, n int, seat func(i int) seat) error
	// wait returns when every started worker has filled its slot or failed. Its error joins
	// those of the workers, including [lostCPU] if a CPU went away.
	wait() error
	// rest dismisses the workers that would disturb other measurements. It must not be called
	// while a worker is working.
	rest()
	// broken returns why the crew can no longer be used, or nil.
	broken() error
	// close ends the crew. It must not be called while a worker is working.
	close()
}

// A pace is how a worker reads: Chunk reads in one native call, Slice calls between two
// readings of the stopwatch, which are stored if Keep is set, and Look calls between two
// checks of the deadline. Median is whether the rate is from the median of the stored slices. If Yield is set, the worker yields its CPU at each of those, as is
// necessary under a real-time policy.
type pace struct {
	Chunk  int  `json:"chunk"`
	Slice  int  `json:"slice"`
	Keep   bool `json:"keep"`
	Median bool `json:"median"`
	Look   int  `json:"look"`
	Yield  bool `json:"yield"`
	// SpanNS is the time after the opening of the gate at which a worker ends by itself.
	SpanNS int64 `json:"span_ns"`
}

// A seat is where a worker runs: pinned to a CPU, or started on one and free to move. Either
// may be thread.Any.
type seat struct {
	Pin   int `json:"pin"`
	Begin int `json:"begin"`
}

// seats returns the seat of each worker of a pass. Workers that are not pinned start on the
// CPUs in turn, from a random one. Otherwise Linux would start new threads on any CPU, and
// Windows before 11 all of them in one processor group.
func (s Settings) seats() func(i int) seat {
	if len(s.Pin) > 0 || len(s.places) == 0 {
		return func(i int) seat { return seat{s.cpu(i), thread.Any} }
	}
	first := rand.IntN(len(s.places))
	return func(i int) seat { return seat{thread.Any, s.places[(first+i)%len(s.places)]} }
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

// A failedRead is the error of a worker that could not read the clock. It is the only one that
// concerns the clock. After any other the clock is as good as before, and a figure is missing.
type failedRead struct{ err error }

func (f *failedRead) Error() string { return f.err.Error() }

func (s Settings) crew(ctx context.Context, most int) (crew, error) {
	if s.Processes {
		return newProcesses(most)
	}
	if err := roomForThreads(ctx, most); err != nil {
		return nil, err
	}
	return newThreads(), nil
}

// threads is a crew of threads of this process. They are started for a pass and dismissed
// after it: at each read of CLOCK_PROCESS_CPUTIME_ID the kernel sums the times of all threads
// of a process, idle ones too (thread_group_cputime in kernel/sched/cputime.c), which would
// increase its latency.
type threads struct {
	meeting *gate
	workers *observe.Crew
	// seats are those of the started workers, each of which sends one answer.
	seats   []seat
	answers chan answer
	// patience returns how long wait waits for the answers of n workers.
	patience func(n int) time.Duration
}

// An answer is the result of a worker's assignment.
type answer struct {
	worker int
	err    error
}

func newThreads() *threads {
	return &threads{meeting: new(gate), workers: new(observe.Crew), patience: patience}
}

func (t *threads) gate() *gate { return t.meeting }

// start starts missing threads. A thread that cannot be pinned answers each assignment with
// the error.
func (t *threads) start(c clock.Clock, p pace, n int, at func(i int) seat) error {
	t.workers.Dismiss(n)
	// The gate and the channel belong to this assignment: an abandoned worker of an earlier
	// one has its own.
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
	came := observe.Await(t.answers, len(t.seats), t.patience(len(t.seats)), nil)
	var all error
	for _, a := range came {
		all = errors.Join(all, a.err)
	}
	if len(came) < len(t.seats) {
		all = errors.Join(all, t.leave(came))
	}
	return all
}

// leave abandons the workers that did not answer, and returns why. They may still be working,
// so they keep their gate, and the crew has another.
func (t *threads) leave(came []answer) error {
	var all error
	late := t.patience(len(t.seats))
	for i, s := range t.seats {
		switch {
		case slices.ContainsFunc(came, func(a answer) bool { return a.worker == i }):
		case s.Pin == thread.Any:
			all = errors.Join(all, fmt.Errorf("a thread got no time on any CPU for %s", words.Duration(float64(late))))
		default:
			all = errors.Join(all, &lostCPU{s.Pin, fmt.Errorf("a thread got no time on CPU %d for %s", s.Pin, words.Duration(float64(late)))})
		}
	}
	t.workers.Dismiss(0)
	t.workers, t.meeting = new(observe.Crew), new(gate)
	return all
}

// rest dismisses all threads, and waits for their end.
func (t *threads) rest() {
	t.workers.Dismiss(0)
	t.workers.Wait()
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
