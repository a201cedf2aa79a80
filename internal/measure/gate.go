package measure

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/timebench/timebench/internal/clock"
	"github.com/timebench/timebench/internal/observe"
	"github.com/timebench/timebench/internal/stats"
	"github.com/timebench/timebench/internal/thread"
	"github.com/timebench/timebench/internal/trace"
)

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

// patience is how long the gate waits for workers, and the crew for the end of those that are
// threads. One that is not there by then has died, which the wait of a crew of processes
// reports, or gets no CPU.
const patience = 20 * time.Second

// open waits for n workers, lets them go, and returns the moment.
func (g *gate) open(ctx context.Context, n int) int64 {
	begun := observe.Now()
	for g.ready.Load() < uint32(n) && ctx.Err() == nil && observe.Now()-begun < int64(patience) {
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
		if observe.Now()-begun > 2*int64(patience) {
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
	if observe.Away(at.Pin) {
		err = errors.Join(&lostCPU{cpu: at.Pin}, err)
	}
	return err
}
