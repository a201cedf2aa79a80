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

// A gate holds the workers until all have arrived, starts them at the same time and stops
// them. It may be in memory shared between processes, so it has no pointers. Fields with
// different writers are on different cache lines.
type gate struct {
	ready atomic.Uint32
	_     [thread.CacheLine - 4]byte
	// releasedNS is the stopwatch when the gate was opened; 0 until then.
	releasedNS atomic.Int64
	_          [thread.CacheLine - 8]byte
	stop       atomic.Uint32
	_          [thread.CacheLine - 4]byte
	slots      [MostThreads]slot
	// slices are the durations of each worker's slices, in ns.
	slices [MostThreads][mostSlices]int64
}

// mostSlices is the max number of slices of one pass that a worker keeps.
const mostSlices = 128

// A slot has the counts of one worker, on a cache line of its own.
type slot struct {
	reads  atomic.Int64 // so far
	endNS  atomic.Int64 // the stopwatch when it stopped
	sliced atomic.Int64 // number of stored slices
	_      [thread.CacheLine - 24]byte
}

// reset prepares the gate for n workers.
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

// reads returns the number of reads of the first n workers so far, to the chunk.
func (g *gate) reads(n int) int64 {
	sum := int64(0)
	for i := range n {
		sum += g.slots[i].reads.Load()
	}
	return sum
}

// patience is how long the gate waits for workers, and a crew of threads for their end. A
// worker that is later has died, which wait of a crew of processes reports, or gets no CPU.
const patience = 20 * time.Second

// open waits for n workers, starts them, and returns the stopwatch at that moment.
func (g *gate) open(ctx context.Context, n int) int64 {
	begun := observe.Now()
	for g.ready.Load() < uint32(n) && ctx.Err() == nil && observe.Now()-begun < int64(patience) {
		thread.Yield()
	}
	now := observe.Now()
	g.releasedNS.Store(now)
	return now
}

// work runs worker i: it waits at the gate, then reads chunk by chunk until it is stopped. It
// reads at least one chunk, however late it gets a CPU.
//
// The worker owns its slices until it has stored sliced; then the runner may read them.
//
// The worker also ends by itself some time after its span: if the workers have a real-time
// policy and a CPU each, the runner that should stop them may get none.
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

// perSecond returns the reads/s of worker i: from the median of its slices, which an
// interrupt in a few of them does not affect. It uses all reads since the gate was opened if
// the worker stored no slices, or had a CPU for less than half of the time, because its
// slices do not show contention with the other workers then. ok is false for a worker that
// ended before it began.
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

// absent counts a worker that cannot work as arrived, so that the others do not wait for it.
func (g *gate) absent() { g.ready.Add(1) }

var errNotReleased = errors.New("a worker was not let go in time")

// serve does one assignment on this thread. If the seat has a CPU to pin to, the thread is
// pinned already.
func (g *gate) serve(at seat, i int, c clock.Clock, p pace) error {
	reader, err := c.Open()
	if err != nil {
		g.absent()
		return err
	}
	if at.Begin != thread.Any {
		// The worker is not pinned: if the CPU went away, another CPU will do.
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
