package measure

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/stats"
	"github.com/timebench/timebench/internal/thread"
)

// A crew is the workers of throughput measurements: threads of this process, or
// processes.
type crew interface {
	// gate is where the workers meet; it has room for the whole crew.
	gate() *gate
	// start has the first n workers open the clock, worker i at seat(i), and
	// wait at the gate.
	start(c clock.Clock, p pace, n int, seat func(i int) seat) error
	// wait returns when every started worker has filled its slot or failed.
	wait() error
	// close ends the crew. No worker is at work.
	close()
}

// A pace is how a worker reads: Chunk reads in one native call, and Slice calls
// between two looks at the stopwatch.
type pace struct {
	Chunk int `json:"chunk"`
	Slice int `json:"slice"`
}

// A seat is where a worker runs: pinned to a CPU, or free and begun on one. Either
// may be thread.Any.
type seat struct {
	Pin   int `json:"pin"`
	Begin int `json:"begin"`
}

// seats returns the seats for so many threads that are not pinned: where each can
// have a CPU of its own it begins on one, from a CPU chosen anew each time.
func (s Settings) seats(threads int) func(i int) seat {
	if len(s.Pin) > 0 || threads > s.CPUs {
		return func(i int) seat { return seat{s.cpu(i), thread.Any} }
	}
	// In the order of spread neighbours are on different cores, so that no two
	// threads share one while another is idle.
	usable := thread.Spread(thread.Topology())
	first := rand.IntN(len(usable))
	return func(i int) seat { return seat{thread.Any, usable[(first+i)%len(usable)]} }
}

func (s Settings) crew(most int) (crew, error) {
	if s.Processes {
		return newProcesses(most)
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
	begun := stopwatch()
	for g.ready.Load() < uint32(n) && ctx.Err() == nil && stopwatch()-begun < patience {
		thread.Yield()
	}
	now := stopwatch()
	g.releasedNS.Store(now)
	return now
}

// work is the life of worker i: it waits at the gate, then reads chunk by chunk
// until it is told to stop; one chunk at least, however late it got a CPU.
//
// Its slices are its own to write until it has stored sliced, and the runner's to
// read from then on.
func (g *gate) work(i int, reader clock.Reader, p pace) error {
	g.ready.Add(1)
	for g.releasedNS.Load() == 0 {
		thread.Yield()
	}
	slot, slices := &g.slots[i], &g.slices[i]
	reads, sliced, calls := int64(0), 0, 0
	last := stopwatch()
	for {
		reader.Spin(p.Chunk)
		reads += int64(p.Chunk)
		slot.reads.Store(reads)
		if g.stop.Load() != 0 {
			break
		}
		if calls++; calls == p.Slice && sliced < len(slices) {
			now := stopwatch()
			slices[sliced] = now - last
			last, calls = now, 0
			sliced++
		}
	}
	slot.endNS.Store(stopwatch())
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

// threads is a crew of threads of this process.
type threads struct {
	meeting *gate
	ended   chan error
	started int
}

func newThreads(most int) *threads {
	return &threads{meeting: new(gate), ended: make(chan error, most)}
}

func (t *threads) gate() *gate { return t.meeting }

func (t *threads) start(c clock.Clock, p pace, n int, seat func(i int) seat) error {
	t.started = n
	for i := range n {
		go func() { t.ended <- t.meeting.onThread(seat(i), i, c, p) }()
	}
	return nil
}

func (t *threads) wait() error {
	var all error
	for range t.started {
		all = errors.Join(all, <-t.ended)
	}
	return first(all)
}

func (t *threads) close() {}

// onThread is the life of a worker on a thread of its own.
func (g *gate) onThread(at seat, i int, c clock.Clock, p pace) error {
	var err error
	ran := false
	pinned := thread.Run(at.Pin, func() {
		ran = true
		var reader clock.Reader
		reader, err = c.Open()
		if err != nil {
			g.absent()
			return
		}
		if at.Begin != thread.Any {
			// A CPU that went away is no reason not to run on another.
			_ = thread.Move(at.Begin)
		}
		err = g.work(i, reader, p)
	})
	if !ran {
		g.absent()
	}
	return errors.Join(pinned, err)
}

// first returns the first of joined errors: one line says enough.
func first(err error) error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return first(joined.Unwrap()[0])
	}
	return err
}
