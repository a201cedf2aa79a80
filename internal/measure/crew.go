package measure

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/observe"
	"github.com/timebench/timebench/internal/stats"
	"github.com/timebench/timebench/internal/thread"
	"github.com/timebench/timebench/internal/trace"
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
// went offline or is no longer allowed to the process.
type lostCPU struct {
	cpu int
	err error // of pinning; nil where the worker was moved away later
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
	return newThreads(most), nil
}

// A gate holds back workers until all are there, lets them go at once, and tells
// them when to stop. It may lie in memory that processes share, so it has no
// pointers. What several workers read and what one writes are on different cache
// lines.
type gate struct {
	ready atomic.Uint32
	_     [thread.CacheLine - 4]byte
	// releasedNS is the stopwatch when the gate was opened; 0 until then.
	releasedNS atomic.Int64
	_          [thread.CacheLine - 8]byte
	stop       atomic.Uint32
	_          [thread.CacheLine - 4]byte
	slots      [MostThreads]slot
	// slices are how long each worker's slices took, in ns.
	slices [MostThreads][mostSlices]int64
}

// mostSlices is how many slices of one pass a worker keeps.
const mostSlices = 128

// A slot is where one worker leaves its count, on a cache line of its own.
type slot struct {
	reads  atomic.Int64 // so far
	endNS  atomic.Int64 // the stopwatch when it stopped
	sliced atomic.Int64 // how many slices it left
	_      [thread.CacheLine - 24]byte
}

// reset makes the gate ready for n workers.
func (g *gate) reset(n int) {
	g.ready.Store(0)
	g.stop.Store(0)
	g.releasedNS.Store(0)
	for i := range n {
		g.slots[i].reads.Store(0)
		g.slots[i].endNS.Store(0)
		g.slots[i].sliced.Store(0)
	}
}

// reads returns what the first n workers have read so far, to the chunk.
func (g *gate) reads(n int) int64 {
	sum := int64(0)
	for i := range n {
		sum += g.slots[i].reads.Load()
	}
	return sum
}

// patience is how long the gate waits for workers. One that is not there by then
// has died, and the crew's wait says so.
const patience = int64(20 * time.Second)

// open waits for n workers, lets them go, and returns the moment.
func (g *gate) open(ctx context.Context, n int) int64 {
	begun := observe.Now()
	for g.ready.Load() < uint32(n) && ctx.Err() == nil && observe.Now()-begun < patience {
		thread.Yield()
	}
	now := observe.Now()
	g.releasedNS.Store(now)
	return now
}

// work is the life of worker i: it waits at the gate, then reads chunk by chunk
// until it is told to stop; one chunk at least, however late it got a CPU.
//
// Its slices are its own to write until it has stored sliced, and the runner's to
// read from then on.
//
// It ends by itself a while after its span: where the workers have a real-time policy and
// a CPU each, the runner that should stop them may get none.
func (g *gate) work(i int, reader clock.Reader, p pace) error {
	g.ready.Add(1)
	for begun := observe.Now(); g.releasedNS.Load() == 0; thread.Yield() {
		if observe.Now()-begun > 2*patience {
			return errNotReleased
		}
	}
	slot, slices := &g.slots[i], &g.slices[i]
	reads, sliced := int64(0), 0
	last := observe.Now()
	deadline := g.releasedNS.Load() + p.SpanNS
	for calls := 1; ; calls++ {
		reader.Spin(p.Chunk)
		reads += int64(p.Chunk)
		slot.reads.Store(reads)
		if g.stop.Load() != 0 {
			break
		}
		if p.Keep && calls%p.Slice == 0 && sliced < len(slices) {
			now := observe.Now()
			slices[sliced] = now - last
			last = now
			sliced++
		}
		if calls%p.Look == 0 {
			if observe.Now() >= deadline {
				break
			}
			if p.Yield {
				thread.Yield()
			}
		}
	}
	slot.endNS.Store(observe.Now())
	slot.sliced.Store(int64(sliced))
	return clock.Failure(reader)
}

// perSecond returns the reads a second of worker i: by the median of its slices,
// which an interrupt that falls into a few of them does not move; or by all its
// reads since the gate was opened, where it left no slices, or where it had a CPU
// for less than half of the time, so that its slices say nothing of working beside
// the others. ok is false for a worker that ended before it began.
func (g *gate) perSecond(i int, p pace) (perSecond float64, ok bool) {
	slot := &g.slots[i]
	spent := float64(slot.endNS.Load() - g.releasedNS.Load())
	if n := slot.sliced.Load(); n > 0 {
		durations := make([]float64, n)
		for j := range durations {
			durations[j] = float64(g.slices[i][j])
		}
		if median := stats.Median(durations); median*float64(n) >= spent/2 {
			return float64(p.Chunk*p.Slice) * 1e9 / median, spent > 0
		}
	}
	return float64(slot.reads.Load()) * 1e9 / spent, spent > 0
}

// absent stands in for a worker that cannot work, so that the others need not
// wait for it.
func (g *gate) absent() { g.ready.Add(1) }

var errNotReleased = errors.New("a worker was not let go in time")

// threads is a crew of threads of this process. They are hired for a pass and dismissed
// after it: the kernel sums the times of all threads of a process, idle ones too, at each
// read of CLOCK_PROCESS_CPUTIME_ID (thread_group_cputime in kernel/sched/cputime.c), which
// would be in its latency.
type threads struct {
	meeting *gate
	hired   []chan assignment
	ended   chan error // an answer for each assignment
	left    sync.WaitGroup
	started int
}

// An assignment is what a thread of the crew is told to do.
type assignment struct {
	clock clock.Clock
	pace  pace
	seat  seat
}

func newThreads(most int) *threads {
	return &threads{meeting: new(gate), ended: make(chan error, most)}
}

func (t *threads) gate() *gate { return t.meeting }

func (t *threads) start(c clock.Clock, p pace, n int, seat func(i int) seat) error {
	t.started = n
	t.dismiss(n)
	for i := range n {
		if i == len(t.hired) {
			t.hire(seat(i).Pin)
		}
		t.hired[i] <- assignment{c, p, seat(i)}
	}
	return nil
}

// hire starts one more thread, which takes assignments until it is dismissed. One that
// cannot be pinned answers each with the error.
func (t *threads) hire(pin int) {
	i, assignments := len(t.hired), make(chan assignment, 1)
	t.hired = append(t.hired, assignments)
	t.left.Go(func() {
		err := thread.Run(pin, func() {
			for a := range assignments {
				t.ended <- t.meeting.serve(a.seat, i, a.clock, a.pace)
			}
		})
		if err != nil {
			trace.Printf("thread", "%v", err)
		}
		for range assignments {
			t.meeting.absent()
			t.ended <- &lostCPU{pin, err}
		}
	})
}

// dismiss lets all but the first n threads go.
func (t *threads) dismiss(n int) {
	for ; len(t.hired) > n; t.hired = t.hired[:len(t.hired)-1] {
		close(t.hired[len(t.hired)-1])
	}
}

func (t *threads) wait() error {
	var all error
	for range t.started {
		all = errors.Join(all, <-t.ended)
	}
	return all
}

func (t *threads) rest() {
	t.dismiss(0)
	t.left.Wait()
}

func (t *threads) broken() error { return nil }

func (t *threads) close() { t.rest() }

// serve works off one assignment on this thread, which is pinned already where the seat
// says so.
func (g *gate) serve(at seat, i int, c clock.Clock, p pace) error {
	reader, err := c.Open()
	if err != nil {
		g.absent()
		return err
	}
	if at.Begin != thread.Any {
		// A CPU that went away is no reason not to run on another.
		if err := thread.Move(at.Begin); err != nil {
			trace.Printf("thread", "begin on CPU %d: %v", at.Begin, err)
		}
	}
	err = g.work(i, reader, p)
	if now := thread.Current(); at.Pin != thread.Any && now != thread.Any && now != at.Pin {
		err = errors.Join(&lostCPU{cpu: at.Pin}, err)
	}
	return err
}

// first returns the first of joined errors: one line says enough.
func first(err error) error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return first(joined.Unwrap()[0])
	}
	return err
}
